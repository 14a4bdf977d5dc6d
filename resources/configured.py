"""The project that Dagster's own tools work on: settings first, else the places of the last run."""

from __future__ import annotations

from lakebook.pipeline.project import remembered_places
from lakebook.settings import load_settings
from resources.project import ProjectResource, limit_fields, model_fields


def configured_project() -> ProjectResource:
    """Return the project resource for the current folder."""
    settings = load_settings()
    places = remembered_places(settings.state)
    data, notebooks = settings.data, settings.notebooks
    return ProjectResource(
        state=str(settings.state),
        data=str(data) if data else places.get("data", ""),
        notebooks=str(notebooks) if notebooks else places.get("notebooks", ""),
        sandbox=settings["sandbox"],
        root=str(settings.root),
        day_order=settings["day_order"],
        retrieval=settings.retrieval,
        embedding=settings["embedding_model"] if settings.embedding_model else "",
        **limit_fields(settings.limits),
        vision=settings["vision_model"] if settings.vision_model else "",
        **model_fields(settings.language_model),
    )
