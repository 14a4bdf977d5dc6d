"""Planted truth: what a question needs comes first, as a group, and the members by date."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.exploration.conftest import Lake

Make = Callable[[dict[str, str]], Lake]

DATED = {f"water/testing-{year}.csv": f"beach,level\nNorth,{year}\nSouth,5\n" for year in range(2003, 2023)}
OTHERS = {
    "people.csv": "name,age\nAnn,31\nBob,42\n",
    "stations.csv": "station,temperature,wind\nKöln,12.5,3\nBonn,13.5,4\n",
    "notes.md": "# Guide\n\nHow beaches are tested.\n",
}


def test_a_family_takes_one_place_and_its_year_is_chosen(make_lake: Make) -> None:
    result = make_lake(DATED | OTHERS).search("beach level in the 2013 season")
    first = result.groups[0]
    assert (first.id, len(first.members)) == ("water/testing-{date}.csv", 20)
    assert first.selected == ("water/testing-2013.csv",)
    assert first.matched[0] == "water/testing-2013.csv"
    assert "1 of 20 members fit" in first.why
    assert [group.id for group in result.groups].count(first.id) == 1
    assert {piece.path for piece in result.evidence if "water" in piece.path} == {"water/testing-2013.csv"}
    assert any("19 members whose dates do not fit" in note for note in result.omitted)


def test_a_range_of_years_chooses_several_and_no_year_chooses_none(make_lake: Make) -> None:
    lake = make_lake(DATED | OTHERS)
    some = lake.search("beach level from 2010 to 2012").groups[0].selected
    assert set(some) == {f"water/testing-{year}.csv" for year in (2010, 2011, 2012)}
    assert lake.search("beach level").groups[0].selected == ()


def test_a_member_within_the_time_asked_comes_before_one_that_reaches_beyond(make_lake: Make) -> None:
    spans = ("20180801_to_20181003", "20181001_to_20181003", "20181009_to_20181130", "20190101_to_20190103")
    files = {f"sat/density-{span}.csv": f"t,density\n{n},1\n" for n, span in enumerate(spans)}
    group = make_lake(files | OTHERS).search("density from 2018-10-01 to 2018-10-10").groups[0]
    assert group.selected[0] == "sat/density-20181001_to_20181003.csv"
    assert len(group.selected) == 3


def test_months_meet_in_any_form(make_lake: Make) -> None:
    files = {f"rain_{month}.csv": f"town,{month}\nA,1\n" for month in ("Jan", "Feb", "Mar")}
    assert make_lake(files).files("rain in february")[0] == "rain_Feb.csv"


def test_months_in_paths_choose_members(make_lake: Make) -> None:
    files = {f"pod/POD_2024_{month:02}.csv": f"t,density\n{month},1\n" for month in range(1, 13)}
    assert make_lake(files).search("density in March 2024").groups[0].selected == ("pod/POD_2024_03.csv",)


def test_members_are_told_apart_by_a_date_in_their_text(make_lake: Make) -> None:
    texts = {
        f"{day:02}forecast.txt": f"Forecast\n\nIssued: 2025 Mar {day:02}\n\nKp index forecast\n"
        for day in (9, 11, 12)
    }
    group = make_lake(texts | OTHERS).search("Kp forecast of March 11, 2025").groups[0]
    assert group.selected == ("11forecast.txt",)


def test_columns_find_a_file_whose_name_says_nothing(make_lake: Make) -> None:
    assert make_lake(OTHERS).files("wind temperatures")[0] == "stations.csv"


def test_a_data_dictionary_tells_what_codes_mean(make_lake: Make) -> None:
    columns = ["gscd", "avrh", "mxtp", "wndd", "erc"]
    meanings = ["station code", "relative humidity", "maximum temperature", "gust direction", "energy"]
    dictionary = "variable,description\n" + "".join(
        f"{name},{meaning}\n" for name, meaning in zip(columns, meanings, strict=True)
    )
    data = {"fires.csv": ",".join(columns) + "\n1,2,3,4,5\n", "fires_vars.csv": dictionary}
    lake = make_lake(data | OTHERS)
    found = lake.search("relative humidity and gust direction")
    fires = next(group for group in found.groups if "fires.csv" in group.members)
    assert "documented by fires_vars.csv (column variable lists 5 of its 5 columns)" in fires.why
    assert set(lake.files("relative humidity")[:2]) == {"fires.csv", "fires_vars.csv"}


def test_a_list_that_only_looks_like_a_dictionary_documents_nothing(make_lake: Make) -> None:
    table = {"t.csv": "a1,b1,c1,d1,e1\n1,2,3,4,5\n", "list.csv": "word,n\na1,1\nx,2\ny,3\nz,4\nw,5\n"}
    assert make_lake(table).index().documents == ()


def test_a_text_documents_the_tables_that_begin_with_its_name(make_lake: Make) -> None:
    files = {
        "omni2.txt": "Format of the files.\n\nThe column holds the plasma speed.\n",
        "omni2_2023.csv": "c1,c2\n1,2\n",
        "omnibus.csv": "line,stop\n1,2\n",
    }
    index = make_lake(files).index()
    pairs = {(index.files[d.document].path, index.files[d.described].path) for d in index.documents}
    assert pairs == {("omni2.txt", "omni2_2023.csv")}
    assert "omni2_2023.csv" in make_lake(files).files("plasma speed")


def test_glued_names_are_found_by_their_words(make_lake: Make) -> None:
    files = {
        "worldcities.csv": "id,n\n1,2\n",
        "a.csv": "world,x\n1,2\n",
        "b.csv": "city,y\n1,2\n",
        "c.csv": "river,z\n1,2\n",
    }
    assert "worldcities.csv" in make_lake(files).files("largest cities")[:2]
    assert "worldcities.csv" not in make_lake(files).files("river")


def test_values_find_a_file_also_beyond_the_listed_ones(make_lake: Make) -> None:
    rows = "".join(f"place number {n} {chr(97 + n % 26) * 5}{n},1\n" for n in range(3000))
    lake = make_lake({"big.csv": "site,n\n" + rows + "Umbria,1\n"} | OTHERS)
    result = lake.search("what happened in Umbria")
    assert result.groups[0].id == "big.csv"
    rows_shown = next(piece for piece in result.evidence if piece.position.startswith("row"))
    assert rows_shown.position == "row 3,001"
    assert any("big.csv: values known in part only: site" in note for note in result.omitted)


@pytest.mark.parametrize("question", ["Messungen in Köln", "messungen in koln", "KÖLN"])
def test_words_of_other_languages(make_lake: Make, question: str) -> None:
    assert make_lake(OTHERS).files(question)[0] == "stations.csv"


def test_words_without_blanks_between_them(make_lake: Make) -> None:
    lake = make_lake(OTHERS | {"jp.csv": "都市,人口\n東京,10\n大阪,3\n"})
    assert lake.files("東京の人口はいくつ")[0] == "jp.csv"


def test_an_unread_file_is_found_by_its_path(make_lake: Make) -> None:
    lake = make_lake(OTHERS | {"satellite_orbits.bin2": "\x00\x01\x02"})
    assert lake.files("satellite orbits")[0] == "satellite_orbits.bin2"
    assert any("found by path only: satellite_orbits.bin2" in n for n in lake.search("satellite").omitted)
