"""Write the pandas statements that load a table of a sheet: the same rows, names and values, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.sources.formats.workbooks.body import Body
from lakebook.sources.formats.workbooks.grid import Grid, Unread, letters
from lakebook.sources.formats.workbooks.layout import Block
from lakebook.sources.load_code import call, data_file, literal, literals


def statements(
    grid: Grid, block: Block, body: Body, names: Sequence[str], originals: Sequence[str], relative: str
) -> list[str]:
    """Return the statements that bind `df` to the table before its columns are typed."""
    fills: dict[int, list[tuple[int, int]]] = {}
    for start, end, at in body.fills:
        fills.setdefault(at, []).append((start, end))
    by_range = {at: ranges for at, ranges in fills.items() if not _is_plain_fill(body, at, ranges)}
    dropping = _dropping(body, by_number=bool(by_range))
    return [
        *_reading(grid, block, body, names, originals, relative),
        *(
            f"for start, end in {ranges}:\n    df.iloc[start:end, {at}] = df.iat[start, {at}]"
            for at, ranges in by_range.items()
        ),
        *([f"df = df{dropping}.reset_index(drop=True)"] if dropping else []),
        *(
            f"df[{literal(names[at])}] = df[{literal(names[at])}].ffill()"
            for at in fills
            if at not in by_range
        ),
        "df = df.infer_objects()",
    ]


def _reading(
    grid: Grid, block: Block, body: Body, names: Sequence[str], originals: Sequence[str], relative: str
) -> list[str]:
    """Write the reading of the cells; what only the marks know is put beside them as missing."""
    rows, columns = grid.reach
    within = [at for at in block.columns if at < columns]
    is_plain = len(within) == len(names) and _is_plain_header(grid, block, names, originals)
    start, end = block.header.last, block.header.last + len(body.rows)
    if not within or (start >= rows and body.rows) or (start >= end and not is_plain):
        return [f"df = pd.DataFrame(index=range({end - start}), columns={literals(names)}, dtype=object)"]
    arguments = [data_file(relative), f"sheet_name={literal(grid.name)}", 'engine="calamine"']
    skip = block.header.first if is_plain else start
    if skip:
        arguments.append(f"skiprows={skip}")
    if not is_plain:
        arguments += ["header=None", f"names={literals(names[: len(within)])}"]
    arguments.append(f'usecols="{_used(within)}"')
    if end < rows:
        arguments.append(f"nrows={end - start}")
    arguments += ["dtype=object", "keep_default_na=False", f"na_values={literals(['', *grid.blanks])}"]
    reading = ["df = " + call("pd.read_excel", arguments)]
    if end > rows or len(within) < len(names):
        reading.append(f"df = df.reindex(index=range({end - start}), columns={literals(names)})")
    return reading


def _is_plain_header(grid: Grid, block: Block, names: Sequence[str], originals: Sequence[str]) -> bool:
    """A single row of different texts: pandas takes the same names from it by itself."""
    if block.header.last - block.header.first != 1 or list(names) != list(originals):
        return False
    row = grid.cells[block.header.first]
    texts = [
        "" if value is None else str(value) for value in row
    ]  # pandas counts repetitions in the whole row
    return all(isinstance(row[at], str) and texts.count(texts[at]) == 1 for at in block.columns)


def _used(columns: Sequence[int]) -> str:
    """Write columns as a spreadsheet does: "A:C,E"."""
    parts: list[list[int]] = []
    for at in columns:
        if parts and parts[-1][-1] == at - 1:
            parts[-1].append(at)
        else:
            parts.append([at])
    return ",".join(f"{letters(part[0])}:{letters(part[-1])}" for part in parts)


def _is_plain_fill(body: Body, at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Filling all blank cells of the loaded rows from above gives the same as filling the merged ranges."""
    covered = {index for start, end in ranges for index in range(start + 1, end)}
    last = None
    for index in body.kept:
        value = body.rows[index][at]
        if index not in covered and value is not None and not isinstance(value, Unread):
            last = value
        elif value is not last:
            return False
    return True


def _dropping(body: Body, *, by_number: bool) -> str:
    """Write the dropping of rows: blank ones as such where that is safe, others by their number."""
    kept, total = set(body.kept), len(body.rows)
    if len(kept) == total:
        return ""
    void = {
        index
        for index, row in enumerate(body.rows)
        if all(value is None or isinstance(value, Unread) for value in row)
    }
    dropped = [index for index in range(total) if index not in kept]
    if void & kept or by_number:
        return f".drop(index={dropped})"
    named = [index for index in dropped if index not in void]
    return (f".drop(index={named})" if named else "") + ('.dropna(how="all")' if void else "")
