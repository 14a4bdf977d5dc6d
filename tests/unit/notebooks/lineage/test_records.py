"""Rows as dictionaries: loops over records, counting dictionaries, tested rows."""

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
        rows = []
        for r in df.to_dict('records'):
            rows.append({'y': r['year'], 'v': r['4046'] * 2})
        d = pd.DataFrame(rows)
        d.plot.scatter('y', 'v')
        """,
        {"4046", "year"},
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
        {"4046", "year"},
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
        rows = []
        for r in df.to_dict('records'):
            rows.append({**r, 'twice': r['4046'] * 2})
        d = pd.DataFrame(rows)
        d.plot.scatter('year', 'twice')
        """,
        {"4046", "year"},
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
        pts = []
        for _, r in df.iterrows():
            pts.append((r['year'], r['4046']))
        xs, ys = zip(*pts)
        plt.scatter(xs, ys)
        """,
        {"4046", "year"},
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
    ("df.apply(lambda r: plt.scatter(r['year'], r['4046']), axis=1)", {"4046", "year"}, set()),
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
        out = []
        for idx in df.index:
            out.append(df.at[idx, 'year'] * 2)
        plt.plot(out)
        """,
        {"year"},
        set(),
    ),
    (
        """
        d = {'y': [], 'v': []}
        for _, r in df.iterrows():
            d['y'].append(r['year'])
            d['v'].append(r['4046'])
        t = pd.DataFrame(d)
        t.plot.scatter('y', 'v')
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        res = pd.DataFrame(columns=['r', 'm'])
        for name, g in df.groupby('region'):
            res.loc[len(res)] = [name, g['4046'].mean()]
        plt.bar(res['r'], res['m'])
        """,
        {"4046", "region"},
        None,
    ),
    (
        """
        res = pd.DataFrame()
        for name, g in df.groupby('region'):
            res = pd.concat([res, pd.DataFrame({'r': [name], 'm': [g['4046'].mean()]})])
        plt.bar(res['r'], res['m'])
        """,
        {"4046", "region"},
        None,
    ),
    (
        """
        for a, b in zip(df['year'], df['4046']):
            plt.scatter(a, b)
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        xs = [r.year for r in df.itertuples() if r.type == 'organic']
        plt.hist(xs)
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        xs = []
        for row in df.values:
            xs.append(row[5])
        plt.hist(xs)
        """,
        {"year"},
        None,
    ),
    (
        """
        ys = {}
        for rec in df.to_dict(orient='records'):
            y = rec['year']
            ys[y] = ys.get(y, 0) + rec['4046']
        for y, v in sorted(ys.items()):
            plt.bar(y, v)
        """,
        {"4046", "year"},
        set(),
    ),
    (
        """
        L = []
        for i in range(len(df)):
            row = df.iloc[i]
            L.append({'a': row['year'], 'b': row['type']})
        sns.boxplot(x='b', y='a', data=pd.DataFrame(L))
        """,
        {"type", "year"},
        set(),
    ),
    (
        """
        sums = dict.fromkeys(['a', 'b'], 0)
        for r in df.itertuples():
            sums[r.type] += r.year
        plt.bar(sums.keys(), sums.values())
        """,
        {"type", "year"},
        None,
    ),
    (
        """
        from collections import Counter
        c = Counter((r['type'] for r in df.to_dict('records')))
        labels, values = zip(*c.items())
        plt.bar(labels, values)
        """,
        {"type"},
        set(),
    ),
]


@pytest.mark.parametrize(("target", "columns", "filters"), CASES)
def test_columns_and_filters(target: str, columns: set[str], filters: set[str] | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert filters is None or set(result.filters) - columns == filters
