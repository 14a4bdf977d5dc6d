"""What is not read, and why: one sentence a kind of file, with the next step where there is one."""

from __future__ import annotations

from lakebook.sources.card import FileStatus
from lakebook.sources.peek import Peek

_DATA = (
    ".csv .tsv .tab .psv .json .jsonl .ndjson .parquet .pq .feather .arrow .orc .xlsx .xlsm .xls .xlsb .ods "
    ".db .sqlite .sqlite3 .gpkg .duckdb .dta .sas7bdat .xpt .dbf .npy .npz .h5 .hdf5 .nc"
)
_DATA_SUFFIXES = frozenset(_DATA.split())
_SOURCE_CODE = (
    ".py .r .sql .js .ts .sh .bash .c .h .cpp .cc .java .go .rs .rb .pl .jl .m .scala .kt .cs .php .lua "
    ".do .sas .css .ps1 .bat"
)
_BY_SUFFIX = {
    ".ipynb": "a notebook: give its folder with --notebooks to learn from it",
    **dict.fromkeys(_SOURCE_CODE.split(), "source code"),
    ".xml": "XML that holds no data: a drawing, settings, a stylesheet or a schema",
    **dict.fromkeys((".xsl", ".xslt", ".xsd", ".dtd", ".wsdl"), "a stylesheet or schema for XML"),
    **dict.fromkeys((".yml", ".yaml"), "YAML is not read"),
    ".toml": "TOML is not read",
    **dict.fromkeys((".ini", ".cfg", ".conf", ".env", ".properties", ".lock"), "settings, not data"),
    ".prj": "the map projection of the shapefile beside it",
    ".cpg": "the text encoding of the shapefile beside it",
    ".log": "a log, which is not read",
    ".svg": "a drawing",
}
_BY_BINARY_SUFFIX = {
    ".shx": "the index of the shapefile beside it",
    ".sbn": "the index of the shapefile beside it",
    ".sbx": "the index of the shapefile beside it",
    ".pkl": "a Python pickle: to open it would run code; save the data as Parquet or CSV",
    ".pickle": "a Python pickle: to open it would run code; save the data as Parquet or CSV",
    ".joblib": "a joblib pickle: to open it would run code; save the data as Parquet or CSV",
}
_CODE_RISK = "to open it would run code; save the data as Parquet or CSV"
_EXPORT = "export its tables as CSV or Parquet"
_UNPACK = "unpack it, or pack it as .zip or .tar.gz"
# More than "a KIND, which is not read": what the reader can do about it.
_BY_MAGIC = {
    **dict.fromkeys(("gz", "bz2", "xz", "zst"), "packed twice, which is not read: unpack it once"),
    "python pickle": f"a Python pickle: {_CODE_RISK}",
    "pytorch model": f"a PyTorch model, which holds a pickle: {_CODE_RISK}",
    "r data": "an R data file, which is not read: save it in R with write.csv or arrow::write_parquet",
    "spss": "an SPSS file, which is not read: save it as CSV (in SPSS, or in R with haven::read_sav)",
    "sas transport version 8": f"a SAS transport file of version 8, which is not read: {_EXPORT}",
    "access database": f"an Access database, which is not read: {_EXPORT}",
    "postgresql dump": f"a PostgreSQL dump, which is not read: restore it, and {_EXPORT}",
    "feather version 1": "a Feather file of version 1, which is not read: write it again as version 2 "
    "(pandas to_feather)",
    "encrypted parquet": "an encrypted Parquet file: it cannot be read without its keys",
    "avro container": f"an Avro container, which is not read: {_EXPORT}",
    "sqlite write-ahead log": "the write-ahead log of the SQLite database beside it",
    "shapefile": "the shapes of a map; their attributes are in the .dbf file beside it",
    "hdf4 file": "an HDF4 file, which is not read: convert it to HDF5 (h4toh5) or netCDF",
    "grib weather field": "a GRIB weather field, which is not read: convert it to netCDF (with cfgrib)",
    "pgp-encrypted file": "encrypted with PGP: it cannot be read without its key",
    **{
        f"{name} archive": f"{article} {name} archive, which is not read: {_UNPACK}"
        for name, article in (
            ("7z", "a"),
            ("rar", "a"),
            ("lz4", "an"),
            ("snappy", "a"),
            ("lzip", "an"),
            ("compress", "a"),
            ("cabinet", "a"),
            ("xar", "a"),
            ("cpio", "a"),
            ("ar", "an"),
        )
    },
}


def refuse(file: Peek) -> tuple[FileStatus, str]:
    """Return the status and the reason for a file that no profiler reads."""
    is_data = file.suffix in _DATA_SUFFIXES
    if file.magic == "git-lfs pointer":
        return "failed", "a Git LFS pointer, not the data: run `git lfs pull` in its repository"
    if file.magic == "empty":
        return ("failed" if is_data else "skipped"), "the file is empty (0 bytes)"
    if file.magic == "html" and is_data:
        return "failed", f"an HTML page, not what the name {file.suffix} says: download it again"
    if file.suffix in _BY_BINARY_SUFFIX and file.magic in ("binary", "shapefile"):
        return "skipped", _BY_BINARY_SUFFIX[file.suffix]
    if file.magic in _BY_MAGIC:
        return ("failed" if is_data else "skipped"), _BY_MAGIC[file.magic]
    if file.suffix in _BY_SUFFIX and file.magic in ("text", "html", "xml"):
        return "skipped", _BY_SUFFIX[file.suffix]
    if file.magic in ("text", "binary"):
        kind = f"{file.magic} of a kind that is not read ({file.suffix or 'no suffix'})"
        if not is_data:
            return "skipped", kind
        why = "the end or the start of the file may be missing" if file.magic == "binary" else kind
        return "failed", f"no table was found in it: {why}"
    status: FileStatus = "failed" if is_data and not file.compression else "skipped"
    return status, f"{_article(file.magic)} {file.magic}, which is not read"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" or word[:2] in ("h5", "mp") else "a"
