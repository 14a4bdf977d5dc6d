"""Images: format, size, mode and what their header says. Pixels are never decoded."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

# The decoders that are tried: those of Pillow for other formats run programs or are rarely tested.
_FORMATS = {
    "png image": "PNG",
    "jpeg image": "JPEG",
    "gif image": "GIF",
    "webp image": "WEBP",
    "tiff image": "TIFF",
    "bmp image": "BMP",
    "icon image": "ICO",
    "jpeg 2000 image": "JPEG2000",
    "photoshop image": "PSD",
    "avif image": "AVIF",
}
_MAKER, _MODEL, _TAKEN, _EXIF, _ORIGINAL = 0x010F, 0x0110, 0x0132, 0x8769, 0x9003


class Image:
    """Reads the headers of images."""

    format = "image"

    def can_read(self, file: Peek) -> bool:
        """Return True for the image formats that have a header to read."""
        return file.magic in _FORMATS

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one image of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the header."""
        import PIL.Image

        file = part.file
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a large size is shown, not decoded
                with PIL.Image.open(file.path, formats=[_FORMATS[file.magic]]) as image:
                    return Reading(kind="image", attributes=tuple(_attributes(image)))
        except PIL.Image.DecompressionBombError:
            return Reading(
                kind="image",
                attributes=(("format", _FORMATS[file.magic]),),
                warnings=("an extremely large image: its header was not read any further",),
            )
        except (PIL.UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, KeyError) as error:
            cause = "its header makes no sense" if "cannot identify" in str(error) else str(error)
            kind = file.magic
            raise SourceError(
                f"a {kind} that is damaged or cut off ({cause}).", where=file.relative
            ) from error


def _attributes(image: Any) -> Iterator[tuple[str, str]]:
    yield "format", str(image.format)
    yield "size", f"{image.width:,} × {image.height:,} pixels"
    yield "mode", str(image.mode)
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        yield "frames", f"{frames:,}"
    if "dpi" in image.info:
        yield "resolution", f"{float(image.info['dpi'][0]):g} dpi"
    exif = image.getexif()
    taken = exif.get_ifd(_EXIF).get(_ORIGINAL) or exif.get(_TAKEN)
    if taken:
        yield "taken", str(taken)
    camera = " ".join(str(exif[tag]).strip("\0 ") for tag in (_MAKER, _MODEL) if tag in exif)
    if camera:
        yield "camera", camera
