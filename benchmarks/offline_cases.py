"""Questions in the way that people ask them, and their answers computed by plain pandas.

Written before the reader of questions was; nothing here knows how it works. An answer is a number, a name, a
list of names (in any order) or a table of group and number. `None` stands for a question that must not be
answered: it asks for what is not there, or leaves open something that changes the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

Frames = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, slots=True)
class Case:
    """A question to one lake, and what computes its answer from the frames of its files."""

    lake: str
    question: str
    expected: Callable[[Frames], Any] | None = None


def _case(lake: str, file: str) -> Callable[..., Case]:
    """Return a maker of cases whose answer is computed from one file."""

    def make(question: str, expected: Callable[[pd.DataFrame], Any] | None = None) -> Case:
        return Case(lake, question, None if expected is None else lambda frames: expected(frames[file]))

    return make


def _dates(column: Any) -> Any:
    return pd.to_datetime(column, format="mixed", errors="coerce")


_store = _case("superstore", "sample_superstore")
_avo = _case("avocado_2018", "avocado_2018")
_new = _case("avocado_2020", "avocado_2020")
_net = _case("netflix", "netflix_titles_2021")
_pen = _case("penguins", "penguins")
_car = _case("cars", "auto-mpg")
_book = _case("books", "amazon_books")
_house = _case("houses", "house_prices")
_cof = _case("coffee", "coffee_quality")
_birth = _case("births", "us_births_1994_2003")
_medal = _case("medals", "medal_table")
_planet = _case("planets", "planets")
_wed = _case("weddings", "us_marriages_divorces")
_titan = _case("titanic", "titanic_all")
_element = _case("elements", "elements")
_un = _case("un", "un_member_states_2024")


def _happy(year: int) -> Callable[[Frames], Any]:
    return lambda frames: frames[str(year)]


def _share(part: Any) -> float:
    return float(part.mean()) * 100


CASES: tuple[Case, ...] = (
    # superstore
    _store("What are the total sales?", lambda d: d["Sales"].sum()),
    _store("How many customers are there?", lambda d: d["Customer ID"].nunique()),
    _store("How many distinct products were sold?", lambda d: d["Product ID"].nunique()),
    _store("Total profit by region", lambda d: d.groupby("Region")["Profit"].sum()),
    _store(
        "Which category has the highest total sales?", lambda d: d.groupby("Category")["Sales"].sum().idxmax()
    ),
    _store("Which sub-category lost the most money?", None),
    _store(
        "Which sub-category has the lowest total profit?",
        lambda d: d.groupby("Sub-Category")["Profit"].sum().idxmin(),
    ),
    _store("top 5 states by sales", lambda d: d.groupby("State")["Sales"].sum().nlargest(5)),
    _store(
        "average discount for Furniture in the West",
        lambda d: d[(d.Category == "Furniture") & (d.Region == "West")].Discount.mean(),
    ),
    _store("What is the average profit per segment?", lambda d: d.groupby("Segment")["Profit"].mean()),
    _store(
        "How many orders were placed by the Corporate segment?",
        lambda d: d[d.Segment == "Corporate"]["Order ID"].nunique(),
    ),
    _store(
        "What percentage of total sales comes from Technology?",
        lambda d: d[d.Category == "Technology"].Sales.sum() / d.Sales.sum() * 100,
    ),
    _store("What is the median quantity?", lambda d: d.Quantity.median()),
    _store("How many rows have a discount above 0.5?", lambda d: (d.Discount > 0.5).sum()),
    _store(
        "Total sales in California excluding Technology",
        lambda d: d[(d.State == "California") & (d.Category != "Technology")].Sales.sum(),
    ),
    _store(
        "What were the total sales by order date year?",
        lambda d: d.groupby(_dates(d["Order Date"]).dt.year).Sales.sum(),
    ),
    _store("What is the largest profit on a single row?", lambda d: d.Profit.max()),
    _store("How much revenue did we make?", lambda d: d.Sales.sum()),
    _store("How many different cities are there in Texas?", lambda d: d[d.State == "Texas"].City.nunique()),
    _store("What is the most common ship mode?", lambda d: d["Ship Mode"].mode()[0]),
    _store("What is the correlation between sales and profit?", lambda d: d.Sales.corr(d.Profit)),
    _store("Which customers are happiest?", None),
    _store("What is the average salary?", None),
    _store("How many returns were there?", None),
    _store("total sales in 2016", None),  # ordered or shipped?
    _store("Average delivery time by ship mode", None),
    _store(
        "Which 3 sub-categories have the most sales in the East region?",
        lambda d: d[d.Region == "East"].groupby("Sub-Category").Sales.sum().nlargest(3),
    ),
    # avocado 2018
    _avo(
        "What is the average price of organic avocados?", lambda d: d[d.type == "organic"].AveragePrice.mean()
    ),
    _avo(
        "In which region is the average price the highest?",
        lambda d: d.groupby("region").AveragePrice.mean().idxmax(),
    ),
    _avo("How many regions are there?", lambda d: d.region.nunique()),
    _avo("total volume by type", None),  # the rows hold a national total, so that a plain sum counts twice
    _avo("average price per year", lambda d: d.groupby("year").AveragePrice.mean()),
    _avo(
        "How did the average price change from 2015 to 2017?",
        lambda d: d[d.year == 2017].AveragePrice.mean() - d[d.year == 2015].AveragePrice.mean(),
    ),
    _avo(
        "What was the highest average price in Boston in 2016?",
        lambda d: d[(d.region == "Boston") & (d.year == 2016)].AveragePrice.max(),
    ),
    _avo(
        "What was the mean price of conventional avocados in Houston between 2016 and 2017?",
        lambda d: d[
            (d.type == "conventional") & (d.region == "Houston") & d.year.between(2016, 2017)
        ].AveragePrice.mean(),
    ),
    _avo("Number of records where the price is over 2", lambda d: (d.AveragePrice > 2).sum()),
    _avo("Sum of small bags in Denver", lambda d: d[d.region == "Denver"]["Small Bags"].sum()),
    _avo("How many bananas were sold?", None),
    _avo("What is the average weight of an avocado?", None),
    _avo(
        "Which year had the lowest average price?", lambda d: d.groupby("year").AveragePrice.mean().idxmin()
    ),
    _avo(
        "median total volume of organic avocados by year",
        lambda d: d[d.type == "organic"].groupby("year")["Total Volume"].median(),
    ),
    # avocado 2020
    _new(
        "mean average_price by geography and type",
        lambda d: d.groupby(["geography", "type"]).average_price.mean(),
    ),
    _new("How many rows are there for Boston?", lambda d: (d.geography == "Boston").sum()),
    _new(
        "What is the minimum average price for organic in 2018?",
        lambda d: d[(d.type == "organic") & (d.year == 2018)].average_price.min(),
    ),
    _new("total_volume in 2019", None),  # as above
    # netflix
    _net("How many movies are there?", lambda d: (d.type == "Movie").sum()),
    _net(
        "How many TV shows were released in 2020?",
        lambda d: ((d.type == "TV Show") & (d.release_year == 2020)).sum(),
    ),
    _net("What share of titles are movies?", lambda d: _share(d.type == "Movie")),
    _net("What is the most common rating?", lambda d: d.rating.mode()[0]),
    _net("Which director has the most titles?", None),  # lists in cells: either reading is defensible
    _net("How many titles have no director?", lambda d: d.director.isna().sum()),
    _net("number of titles by type", lambda d: d.groupby("type").size()),
    _net("How many titles have a release year before 1980?", lambda d: (d.release_year < 1980).sum()),
    _net("What is the average number of viewers?", None),
    _net("How many titles have the rating TV-MA or R?", lambda d: d.rating.isin(["TV-MA", "R"]).sum()),
    _net("What is the earliest release year?", lambda d: d.release_year.min()),
    _net("What is the average duration of movies?", None),
    # happiness
    Case(
        "happiness",
        "What was the average happiness score in 2016?",
        lambda f: f["2016"]["Happiness Score"].mean(),
    ),
    Case("happiness", "Which country had the highest happiness score in 2015?", lambda f: "Switzerland"),
    Case("happiness", "How many countries are in the 2015 data?", lambda f: f["2015"].Country.nunique()),
    Case(
        "happiness",
        "What is the happiness score of Norway in 2017?",
        lambda f: f["2017"].set_index("Country")["Happiness.Score"]["Norway"],
    ),
    Case("happiness", "What is the happiness score of Norway?", None),
    Case("happiness", "What is the average unemployment?", None),
    Case(
        "happiness",
        "Which region had the lowest average happiness score in 2016?",
        lambda f: f["2016"].groupby("Region")["Happiness Score"].mean().idxmin(),
    ),
    Case("happiness", "Average generosity in 2019", lambda f: f["2019"].Generosity.mean()),
    Case(
        "happiness",
        "average happiness score by year",
        lambda f: pd.Series(
            {
                "2015": f["2015"]["Happiness Score"].mean(),
                "2016": f["2016"]["Happiness Score"].mean(),
                "2017": f["2017"]["Happiness.Score"].mean(),
                "2018": f["2018"]["Score"].mean(),
                "2019": f["2019"]["Score"].mean(),
            }
        ),
    ),
    # penguins
    _pen(
        "What is the average body mass of Gentoo penguins?",
        lambda d: d[d.species == "Gentoo"].body_mass_g.mean(),
    ),
    _pen("How many penguins live on Dream island?", lambda d: (d.island == "Dream").sum()),
    _pen(
        "What is the mean flipper length for each species?",
        lambda d: d.groupby("species").flipper_length_mm.mean(),
    ),
    _pen("What percentage of penguins are female?", None),  # of all, or of those whose sex is known?
    _pen(
        "Which species has the longest bill on average?",
        lambda d: d.groupby("species").bill_length_mm.mean().idxmax(),
    ),
    _pen(
        "How many male Adelie penguins are there?",
        lambda d: ((d.sex == "MALE") & (d.species == "Adelie")).sum(),
    ),
    _pen("How many penguins have a body mass of at least 5000 g?", lambda d: (d.body_mass_g >= 5000).sum()),
    _pen("correlation between bill length and bill depth", lambda d: d.bill_length_mm.corr(d.bill_depth_mm)),
    _pen("How old are the penguins on average?", None),
    _pen("average bill", None),
    # cars
    _car("What is the average mpg?", lambda d: d.mpg.mean()),
    _car("How many cars have more than 6 cylinders?", lambda d: (d.cyl > 6).sum()),
    _car("Average horsepower by number of cylinders", lambda d: d.groupby("cyl").hp.mean()),
    _car("Which car has the highest weight?", lambda d: d.loc[d.weight.idxmax(), "name"]),
    _car("Average mpg of cars with a weight under 2500", lambda d: d[d.weight < 2500].mpg.mean()),
    _car("How many electric cars are there?", None),
    # books
    _book("How many books were published by Vintage?", lambda d: (d.publisher == "Vintage").sum()),
    _book("What is the average list price?", lambda d: d.list_price.mean()),
    _book("Which publisher has the most books?", lambda d: d.publisher.value_counts().idxmax()),
    _book("What is the average number of pages?", lambda d: d.num_pages.mean()),
    _book("average price of hardcover books", None),
    _book(
        "What is the title of the book with the most pages?", lambda d: d.loc[d.num_pages.idxmax(), "title"]
    ),
    _book("standard deviation of the amazon price", lambda d: d.amazon_price.std()),
    _book("What is the average price?", None),  # list price or Amazon's?
    # houses
    _house("What is the median price of waterfront houses?", lambda d: d[d.waterfront].price.median()),
    _house("How many houses have exactly 4 bedrooms?", lambda d: (d.bedrooms == 4).sum()),
    _house("average price by grade", lambda d: d.groupby("grade").price.mean()),
    _house("What is the price of the most expensive house?", lambda d: d.price.max()),
    _house("How many houses cost more than 1 million?", lambda d: (d.price > 1e6).sum()),
    _house(
        "average price of houses with 3 bedrooms and 2 bathrooms",
        lambda d: d[(d.bedrooms == 3) & (d.bathrooms == 2)].price.mean(),
    ),
    _house(
        "Which zipcode has the highest median price?", lambda d: d.groupby("zipcode").price.median().idxmax()
    ),
    _house("How many houses were built before 1950?", lambda d: (d.yr_built < 1950).sum()),
    _house("What percentage of houses have a waterfront?", lambda d: _share(d.waterfront)),
    _house("average rent", None),
    # coffee
    _cof(
        "average total cup points by continent of origin",
        lambda d: d.groupby("continent_of_origin").total_cup_points.mean(),
    ),
    _cof("Which country of origin has the most coffees?", None),
    _cof("How many coffees come from Taiwan?", lambda d: (d.country_of_origin == "Taiwan").sum()),
    _cof("What is the highest flavor score?", None),
    _cof("How many countries of origin are there?", lambda d: d.country_of_origin.nunique()),
    _cof("max acidity in Ethiopia", lambda d: d[d.country_of_origin == "Ethiopia"].acidity.max()),
    _cof("average caffeine content", None),
    # births
    _birth("How many births were there in 2000?", lambda d: d[d.year == 2000].births.sum()),
    _birth(
        "On which day of the week are there the most births?",
        lambda d: d.groupby("day_of_week").births.sum().idxmax(),
    ),
    _birth("average births per day of week", lambda d: d.groupby("day_of_week").births.mean()),
    _birth("total births by year", lambda d: d.groupby("year").births.sum()),
    _birth(
        "By what percentage did births grow between 1994 and 2003?", None
    ),  # of all births, or of a day's mean?
    _birth(
        "By what percentage did total births grow between 1994 and 2003?",
        lambda d: (d[d.year == 2003].births.sum() / d[d.year == 1994].births.sum() - 1) * 100,
    ),
    _birth("What was the maximum number of births on a single day?", lambda d: d.births.max()),
    _birth("How many deaths were there in 2000?", None),
    _birth("total births since 2001", lambda d: d[d.year >= 2001].births.sum()),
    # medals
    _medal("How many gold medals did Norway win?", lambda d: d[d.country == "Norway"].gold.sum()),
    _medal(
        "Which country won the most gold medals in 2012?",
        lambda d: d[d.year == 2012].groupby("country").gold.sum().idxmax(),
    ),
    _medal("Total gold by season", lambda d: d.groupby("season").gold.sum()),
    _medal("top ten countries by total gold", lambda d: d.groupby("country").gold.sum().nlargest(10)),
    _medal(
        "How many countries have taken part in the Winter season?",
        lambda d: d[d.season == "Winter"].country.nunique(),
    ),
    _medal("How many world records were set?", None),
    # planets
    _planet(
        "How many planets were discovered by the Transit method?",
        lambda d: (d.discovery_method == "Transit").sum(),
    ),
    _planet("How many planets were discovered in 2016?", lambda d: (d.discovery_year == 2016).sum()),
    _planet("What is the median orbital period?", lambda d: d.orbital_period_days.median()),
    _planet("number of planets per discovery method", lambda d: d.groupby("discovery_method").size()),
    _planet("average temperature of the planets", None),
    _planet(
        "What fraction of planets were found by Microlensing?",
        lambda d: _share(d.discovery_method == "Microlensing") / 100,
    ),
    # weddings
    _wed("How many marriages were there in 1950?", lambda d: d[d.Year == 1950].Marriages.sum()),
    _wed("In which year were there the most divorces?", lambda d: d.loc[d.Divorces.idxmax(), "Year"]),
    _wed("What was the population in 1900?", lambda d: d[d.Year == 1900].Population.iloc[0]),
    _wed("average number of divorces after 1990", lambda d: d[d.Year > 1990].Divorces.mean()),
    _wed("What was the average number of children?", None),
    # titanic
    _titan("What is the average fare?", None),
    _titan("How many passengers survived?", lambda d: (d.survived == 1).sum()),
    _titan("What was the oldest age?", lambda d: d.age.max()),
    # elements
    _element("How many elements are there?", lambda d: len(d)),
    _element("Which element has the highest density?", lambda d: d.loc[d.density.idxmax(), "name"]),
    _element("How many elements are noble gases?", lambda d: (d.metal == "noble gas").sum()),
    _element("average melting point of metals", None),
    _element("How many elements have a missing boiling point?", lambda d: d["boiling point"].isna().sum()),
    _element("mean electronegativity by period", lambda d: d.groupby("period").electronegativity.mean()),
    # un
    _un("How many countries are in Africa?", lambda d: (d.continent == "Africa").sum()),
    _un(
        "Which country has the highest GDP per capita?", lambda d: d.loc[d.gdp_per_capita.idxmax(), "country"]
    ),
    _un("How many countries have nuclear weapons?", lambda d: d.has_nuclear_weapons_2024.sum()),
    _un("average gdp per capita by continent", lambda d: d.groupby("continent").gdp_per_capita.mean()),
    _un("What is the capital city of Peru?", lambda d: d.set_index("country").capital_city["Peru"]),
    _un("What is the total population?", None),  # only capitals' populations are there
    _un("Obesity rate in 2016", None),
    _un("How many countries drive on the left?", None),
    # flights: several tables
    Case("flights", "How many planes are there?", lambda f: len(f["planes"])),
    Case(
        "flights",
        "What is the average number of seats by manufacturer?",
        lambda f: f["planes"].groupby("manufacturer").seats.mean(),
    ),
    Case(
        "flights",
        "How many flights were operated by JetBlue Airways?",
        lambda f: f["flights"].merge(f["airlines"], on="carrier").query("name == 'JetBlue Airways'").shape[0],
    ),
    Case(
        "flights",
        "average departure delay from JFK",
        lambda f: f["flights"].query("origin == 'JFK'").dep_delay.mean(),
    ),
    Case(
        "flights",
        "Which carrier has the highest average arrival delay?",
        lambda f: f["flights"].groupby("carrier").arr_delay.mean().idxmax(),
    ),
    Case("flights", "How many flights were there in March?", lambda f: (f["flights"].month == 3).sum()),
    Case("flights", "How many airlines are there?", lambda f: len(f["airlines"])),
    Case(
        "flights",
        "What is the average wind speed at JFK?",
        lambda f: f["weather"].query("origin == 'JFK'").wind_speed.mean(),
    ),
    Case("flights", "average delay", None),  # of departure or arrival?
    Case("flights", "What is the ticket price?", None),
    Case(
        "flights",
        "number of flights by airline name",
        lambda f: f["flights"].merge(f["airlines"], on="carrier").groupby("name").size(),
    ),
)
