"""Documents of files whose rows are dictionaries or lists: JSON, and what reads delimited text row by row."""

import pytest

from tests.unit.notebooks.lineage.conftest import used

CASES = [
    (
        """
        import csv
        xs = []
        with open('f.csv') as f:
            for row in csv.DictReader(f):
                xs.append(float(row['year']))
        plt.hist(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        data = json.load(open('f.json'))
        xs = [r['year'] for r in data]
        plt.hist(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        with open('f.json') as f:
            data = json.load(f)
        rows = []
        for item in data:
            rows.append({'y': item['year'], 'r': item.get('region')})
        d = pd.DataFrame(rows)
        d.groupby('r')['y'].mean().plot.bar()
        """,
        {"region", "year"},
        set(),
    ),
    (
        """
        import json
        d = pd.DataFrame(json.load(open('f.json')))
        d.year.hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        rows = [json.loads(l) for l in open('f.json')]
        d = pd.DataFrame(rows)
        d.year.hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        import csv
        with open('f.csv') as f:
            rows = list(csv.DictReader(f))
        xs = [float(r['year']) for r in rows]
        ys = [r['4046'] for r in rows]
        plt.scatter(xs, ys)
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        import requests
        data = requests.get('http://x').json()
        xs = [r['year'] for r in data['results']]
        plt.hist(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        data = json.load(open('f.json'))
        d = pd.DataFrame(data['items'])
        sns.scatterplot(data=d, x='year', y='4046')
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        import json
        geo = json.load(open('f.geojson'))
        px.choropleth(df, geojson=geo, locations='region', color='year')
        """,
        {"region", "year"},
        set(),
    ),
    (
        """
        import json
        data = json.load(open('f.json'))
        for key, rec in data.items():
            plt.scatter(rec['year'], rec['4046'])
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        import csv
        rows = []
        with open('f.csv') as f:
            for row in csv.DictReader(f):
                rows.append(dict(row))
        d = pd.DataFrame(rows)
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        config = json.load(open('c.json'))
        d = pd.read_csv(config['path'])
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        import csv
        xs = []
        with open('f.csv') as f:
            reader = csv.reader(f)
            next(reader)
            for row in reader:
                xs.append(float(row[5]))
        plt.hist(xs)
        """,
        {"year"},
        None,
    ),
    (
        """
        import csv
        with open('x.csv') as f:
            data = [row for row in csv.DictReader(f)]
        years = [int(d['year']) for d in data]
        plt.hist(years)
        """,
        {"year"},
        set(),
    ),
    (
        """
        records = json_records()
        d = pd.DataFrame(records)
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        import json
        recs = []
        for line in open('x.jsonl'):
            o = json.loads(line)
            recs.append((o['year'], o['4046']))
        d = pd.DataFrame(recs, columns=['a', 'b'])
        plt.scatter(d.a, d.b)
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        import json, urllib.request
        with urllib.request.urlopen('http://x') as u:
            j = json.loads(u.read().decode())
        t = [i['year'] for i in j['data']['items']]
        plt.plot(t)
        """,
        {"year"},
        set(),
    ),
]


@pytest.mark.parametrize(("target", "columns", "filters"), CASES)
def test_columns_and_filters(target: str, columns: set[str], filters: set[str] | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert filters is None or set(result.filters) - columns == filters
