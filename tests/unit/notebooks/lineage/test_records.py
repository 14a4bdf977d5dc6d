"""Rows as dictionaries: loops over records, documents of files, counting dictionaries, tested rows."""

import pytest

from tests.unit.notebooks.lineage.conftest import NUMBERS, used

CASES = [
    (
        """
        xs = []
        for row in df.to_dict('records'):
            xs.append(row['year'])
        plt.hist(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        xs, ys = ([], [])
        for i, row in df.iterrows():
            xs.append(row['year'])
            ys.append(row.region)
        plt.bar(ys, xs)
        """,
        {"region", "year"},
        set(),
    ),
    (
        """
        xs = []
        for row in df.itertuples():
            xs.append(row.year)
        plt.plot(xs)
        """,
        {"year"},
        set(),
    ),
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
        rows = []
        for r in df.to_dict('records'):
            rows.append({'y': r['year'], 'v': r['4046'] * 2})
        d = pd.DataFrame(rows)
        d.plot.scatter('y', 'v')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        set(),
    ),
    (
        """
        rows = []
        for i, r in df.iterrows():
            rows.append([r['year'], r['4046']])
        d = pd.DataFrame(rows, columns=['a', 'b'])
        d.plot.scatter('a', 'b')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
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
        counts = {}
        for i, r in df.iterrows():
            counts[r['region']] = counts.get(r['region'], 0) + 1
        plt.bar(counts.keys(), counts.values())
        """,
        {"region"},
        set(),
    ),
    (
        """
        counts = {}
        for r in df.to_dict(orient='records'):
            if r['type'] == 'organic':
                counts[r['region']] = counts.get(r['region'], 0) + r['4046']
        plt.bar(list(counts.keys()), list(counts.values()))
        """,
        {"4046", "region"},
        {"type"},
    ),
    (
        """
        from collections import defaultdict
        c = defaultdict(int)
        for _, r in df.iterrows():
            c[r.region] += 1
        plt.bar(c.keys(), c.values())
        """,
        {"region"},
        set(),
    ),
    (
        """
        from collections import defaultdict
        c = defaultdict(list)
        for _, r in df.iterrows():
            c[r['region']].append(r['4046'])
        plt.boxplot(list(c.values()), labels=list(c.keys()))
        """,
        {"4046", "region"},
        set(),
    ),
    (
        """
        rows = []
        for name, g in df.groupby('region'):
            rows.append({'region': name, 'm': g['4046'].mean()})
        d = pd.DataFrame(rows)
        sns.barplot(data=d, x='region', y='m')
        """,
        {"4046", "region"},
        None,
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
        recs = df.to_dict('records')
        d = pd.DataFrame(recs)
        d.hist()
        """,
        set(NUMBERS),
        set(),
    ),
    (
        """
        xs = [r['year'] for r in df.to_dict('records') if r['type'] == 'organic']
        plt.hist(xs)
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        rows = []
        for row in df.itertuples(index=False):
            rows.append((row.year, row.type))
        d = pd.DataFrame(rows, columns=['y', 't'])
        sns.boxplot(data=d, x='t', y='y')
        """,
        {"type", "year"},
        set(),
    ),
    (
        """
        c = Counter((row['region'] for _, row in df.iterrows()))
        plt.bar(c.keys(), c.values())
        """,
        {"region"},
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
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        set(),
    ),
    (
        """
        total = 0
        xs = []
        for i in range(len(df)):
            xs.append(df['year'][i])
            total += df.loc[i, '4046']
        plt.plot(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        xs = []
        for i in range(len(df)):
            if df.loc[i, 'type'] == 'organic':
                xs.append(df.loc[i, 'year'])
        plt.hist(xs)
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        counts = {}
        for i, r in df.iterrows():
            counts[r['region']] = counts.get(r['region'], 0) + 1
        plt.plot(range(3), list(counts.values()))
        """,
        {"region"},
        set(),
    ),
    (
        """
        groups = {}
        for r in df.to_dict('records'):
            groups.setdefault(r['type'], []).append(r['4046'])
        plt.boxplot(list(groups.values()), labels=list(groups))
        """,
        {"4046", "type"},
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
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
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
        rows = []
        for r in df.to_dict('records'):
            rows.append({**r, 'twice': r['4046'] * 2})
        d = pd.DataFrame(rows)
        d.plot.scatter('year', 'twice')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        set(),
    ),
    (
        """
        d = pd.DataFrame.from_records(df.to_dict('records'))
        sns.histplot(d['year'])
        """,
        {"year"},
        set(),
    ),
    (
        """
        counts = {}
        for _, r in df.iterrows():
            counts[r['region']] = counts.get(r['region'], 0) + 1
        top = sorted(counts.items(), key=lambda kv: kv[1], reverse=True)[:5]
        plt.bar([k for k, v in top], [v for k, v in top])
        """,
        {"region"},
        set(),
    ),
    (
        """
        c = Counter()
        for _, r in df.iterrows():
            c[r['region']] += 1
        plt.bar(list(c.keys()), list(c.values()))
        """,
        {"region"},
        set(),
    ),
    (
        """
        import json
        data = json.load(open('f.json'))
        for key, rec in data.items():
            plt.scatter(rec['year'], rec['4046'])
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
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
        pts = []
        for _, r in df.iterrows():
            pts.append((r['year'], r['4046']))
        xs, ys = zip(*pts)
        plt.scatter(xs, ys)
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        set(),
    ),
    (
        """
        rows = []
        for r in df.itertuples():
            if r.year > 2016:
                rows.append({'region': r.region, 'v': r.AveragePrice})
        d = pd.DataFrame(rows)
        sns.barplot(data=d, x='region', y='v')
        """,
        {"AveragePrice", "region"},
        {"year"},
    ),
    (
        """
        rows = []
        for y in [2015, 2016]:
            sub = df[df.year == y]
            rows.append({'y': y, 'm': sub['4046'].mean()})
        d = pd.DataFrame(rows)
        plt.plot(d['y'], d['m'])
        """,
        {"4046"},
        {"year"},
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
        tot = {}
        for r in df.to_dict('records'):
            if r['region'] not in tot:
                tot[r['region']] = 0
            tot[r['region']] += r['4046']
        plt.bar(tot.keys(), tot.values())
        """,
        {"4046", "region"},
        None,
    ),
    (
        """
        xs = []
        for v in df['year']:
            if v > 2015:
                xs.append(v)
        plt.hist(xs)
        """,
        {"year"},
        set(),
    ),
    (
        """
        names, means = ([], [])
        for name, g in df.groupby('region'):
            names.append(name)
            means.append(g['4046'].mean())
        plt.bar(names, means)
        """,
        {"4046", "region"},
        None,
    ),
    (
        "df.apply(lambda r: plt.scatter(r['year'], r['4046']), axis=1)",
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        set(),
    ),
    (
        """
        by = dict()
        for r in df.to_dict('records'):
            k = r['type']
            if k in by:
                by[k].append(r['4046'])
            else:
                by[k] = [r['4046']]
        plt.boxplot(by.values(), labels=by.keys())
        """,
        {"4046", "type"},
        None,
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
]


@pytest.mark.parametrize(("target", "columns", "filters"), CASES)
def test_columns_and_filters(target: str, columns: set[str], filters: set[str] | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert filters is None or set(result.filters) - columns == filters
