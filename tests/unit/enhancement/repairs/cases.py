"""Code before and after each rule, and code that a rule must leave alone, for several tests."""

from __future__ import annotations

from lakebook.enhancement.repairs.rule import NO_FAULT, Fault

# kind, code, what becomes of it, the fault that calls for it (NO_FAULT: applied before the first run)
CHANGED: list[tuple[str, str, str, Fault]] = []
# kind, code that stays, the fault
UNCHANGED: list[tuple[str, str, Fault]] = []


def _gone(owner: str, name: str) -> Fault:
    return Fault("AttributeError", f"'{owner}' object has no attribute '{name}'")


def _add(kind: str, fault: Fault, changed: list[tuple[str, str]], unchanged: list[str]) -> None:
    CHANGED.extend((kind, before, after, fault) for before, after in changed)
    UNCHANGED.extend((kind, code, fault) for code in unchanged)


TEXT = Fault("ValueError", "could not convert string to float: 'Albany'")

# pandas: what raises nothing
_add(
    "chained_inplace",
    NO_FAULT,
    [
        ("df['a'].fillna(0, inplace=True)", "df['a'] = df['a'].fillna(0)"),
        ("df.a.replace(1, 2, inplace=True)", "df.a = df.a.replace(1, 2)"),
        ("df.loc[:, 'a'].clip(0, 1, inplace=True)", "df.loc[:, 'a'] = df.loc[:, 'a'].clip(0, 1)"),
        (
            "for c in names:\n    df[c].fillna(0, inplace=True)",
            "for c in names:\n    df[c] = df[c].fillna(0)",
        ),
    ],
    [
        "df.fillna(0, inplace=True)",
        "df['a'].fillna(0)",
        "df['a'].fillna(0, inplace=False)",
        "df[['a', 'b']].fillna(0, inplace=True)",
        "df[df.x > 0].fillna(0, inplace=True)",
        "names = ['a', 'b']\ndf[names].fillna(0, inplace=True)",
        "df['a'].dropna(inplace=True)",
        "df['a'].drop_duplicates(inplace=True)",
        "df[mask]['a'].fillna(0, inplace=True)",
    ],
)
_add(
    "chained_assignment",
    NO_FAULT,
    [
        (
            "df = pd.DataFrame(x)\ndf['a'][df['a'] > 3] = 0",
            "df = pd.DataFrame(x)\ndf.loc[df['a'] > 3, 'a'] = 0",
        ),
        ("df.a[mask] = 0\ndf.head()", "df.loc[mask, 'a'] = 0\ndf.head()"),
        ("df = lake.copy()\ndf['a'].loc[mask] = 0", "df = lake.copy()\ndf.loc[mask, 'a'] = 0"),
        (
            "df = lake.copy()\ndf['a'][0:5] = 0",
            "df = lake.copy()\ndf.iloc[0:5, df.columns.get_loc('a')] = 0",
        ),
        ("df = lake.copy()\ndf['a'][i] += 1", "df = lake.copy()\ndf.loc[i, 'a'] += 1"),
    ],
    [
        "d = {}\nd['a']['b'] = 1",
        "d['a'][0] = 1",
        "df = lake.copy()\ndf[mask]['a'] = 0",
        "df = lake.copy()\ndf.loc[mask, 'a'] = 0",
        "df = lake.copy()\ndf.iloc[0, 1] = 0",
        "df = lake.copy()\ndf.columns[0] = 'a'",
        "df = lake.copy()\ndf['a'] = 0",
        "plt.rcParams['a'] = 0",
    ],
)
_add(
    "object_dtype",
    NO_FAULT,
    [
        ("x = df[c].dtype == object", "x = pd.api.types.is_string_dtype(df[c].dtype)"),
        ("x = df[c].dtype != 'O'", "x = not pd.api.types.is_string_dtype(df[c].dtype)"),
        ("x = df[c].dtypes == 'object'", "x = pd.api.types.is_string_dtype(df[c].dtypes)"),
        ("x = df.dtypes == 'object'", "x = df.dtypes.map(pd.api.types.is_string_dtype)"),
        ("x = df.dtypes != object", "x = ~df.dtypes.map(pd.api.types.is_string_dtype)"),
        ("x = df.dtypes[c] == 'O'", "x = pd.api.types.is_string_dtype(df.dtypes[c])"),
        ("x = df.a.dtype.name == 'object'", "x = pd.api.types.is_string_dtype(df.a.dtype)"),
        ("x = str(df.a.dtype) == 'object'", "x = pd.api.types.is_string_dtype(df.a.dtype)"),
        (
            "x = df.a.dtype in ['object', 'category']",
            "x = df.a.dtype in ['object', 'category'] or pd.api.types.is_string_dtype(df.a.dtype)",
        ),
        (
            "x = str(df.a.dtypes) in ['object', 'bool']",
            "x = str(df.a.dtypes) in ['object', 'bool'] or pd.api.types.is_string_dtype(df.a.dtypes)",
        ),
        (
            "for c, t in df.dtypes.items():\n    if t == object:\n        f(c)",
            "for c, t in df.dtypes.items():\n    if pd.api.types.is_string_dtype(t):\n        f(c)",
        ),
    ],
    [
        "x = df.select_dtypes('object')",
        "x = df[c].dtype == 'int64'",
        "x = kind == 'object'",
        "x = df['type'] == 'object'",
        "x = df.a.dtype in ['object', 'str']",
        "x = df.a.dtype.kind == 'O'",
    ],
)
_add(
    "groups_by_one",
    NO_FAULT,
    [
        (
            "for name, g in df.groupby(['a']):\n    f(name, g)",
            "for name, g in df.groupby('a'):\n    f(name, g)",
        ),
        (
            "x = {k: len(g) for k, g in df.groupby(['a'])['b']}",
            "x = {k: len(g) for k, g in df.groupby('a')['b']}",
        ),
        ("g = df.groupby(['a'])\nfor k, v in g:\n    f(k)", "g = df.groupby('a')\nfor k, v in g:\n    f(k)"),
        ("x = df.groupby(['a']).get_group('x')", "x = df.groupby('a').get_group('x')"),
    ],
    [
        "for name, g in df.groupby(['a', 'b']):\n    f(name, g)",
        "for (name,), g in df.groupby(['a']):\n    f(name, g)",
        "x = df.groupby(['a']).mean()",
        "x = df.groupby(['a']).get_group(('x',))",
        "for x in names(['a']):\n    f(x)",
    ],
)
_add(
    "unobserved_groups",
    NO_FAULT,
    [
        ("x = df.groupby(pd.cut(df.a, 3)).size()", "x = df.groupby(pd.cut(df.a, 3), observed=False).size()"),
        (
            "df['bin'] = pd.qcut(df.a, 3)\nx = df.groupby(['bin', 'b']).size()",
            "df['bin'] = pd.qcut(df.a, 3)\nx = df.groupby(['bin', 'b'], observed=False).size()",
        ),
        (
            "df['k'] = df['k'].astype('category')\nx = df.pivot_table(index='k')",
            "df['k'] = df['k'].astype('category')\nx = df.pivot_table(index='k', observed=False)",
        ),
        (
            "bins = pd.cut(df.a, 3)\nx = df.groupby(bins).size()",
            "bins = pd.cut(df.a, 3)\nx = df.groupby(bins, observed=False).size()",
        ),
    ],
    [
        "x = df.groupby('a').size()",
        "df['bin'] = pd.cut(df.a, 3)\nx = df.groupby('b').size()",
        "x = df.groupby(pd.cut(df.a, 3), observed=True).size()",
        "df['bin'] = pd.cut(df.a, 3).astype(str)\nx = df.groupby('bin').size()",
    ],
)
_add(
    "stacked_missing",
    NO_FAULT,
    [
        ("x = df.stack()", "x = df.stack().dropna(how='all')"),
        ("x = df.corr().stack().reset_index()", "x = df.corr().stack().dropna(how='all').reset_index()"),
        ("x = df.stack(dropna=False)", "x = df.stack(future_stack=True)"),
        ("x = df.stack(level=0)", "x = df.stack(level=0).dropna(how='all')"),
    ],
    [
        "x = np.stack([a, b])",
        "x = df.stack(future_stack=True)",
        "x = df.stack().dropna()",
        "x = tf.stack(parts)",
        "x = stack()",
    ],
)
_add(
    "replaced_pattern",
    NO_FAULT,
    [
        (r"x = s.str.replace('[^0-9]', '')", r"x = s.str.replace('[^0-9]', '', regex=True)"),
        (r"x = s.str.replace('\\s+', ' ')", r"x = s.str.replace('\\s+', ' ', regex=True)"),
        (r"x = s.str.replace('a|b', ' ')", r"x = s.str.replace('a|b', ' ', regex=True)"),
    ],
    [
        "x = s.str.replace('$', '')",
        "x = s.str.replace('U.S.', 'US')",
        "x = s.str.replace('[^0-9]', '', regex=False)",
        "x = text.replace('[^0-9]', '')",
        "x = s.str.replace(' (US)', '')",
        "x = s.str.replace(', ', '')",
    ],
)
_add(
    "replaced_numbers",
    NO_FAULT,
    [
        (
            "df['a'] = df['a'].replace({'x': 0, 'y': 1})",
            "df['a'] = df['a'].replace({'x': 0, 'y': 1}).infer_objects()",
        ),
        (
            "df['a'] = df['a'].replace(['x', 'y'], [0, 1])",
            "df['a'] = df['a'].replace(['x', 'y'], [0, 1]).infer_objects()",
        ),
        ("df = df.replace({'a': {'x': 0}})", "df = df.replace({'a': {'x': 0}}).infer_objects()"),
        ("df.replace({'a': {'x': -1}}, inplace=True)", "df = df.replace({'a': {'x': -1}}).infer_objects()"),
    ],
    [
        "df['a'] = df['a'].replace({'x': 'y'})",
        "df['a'] = df['a'].replace({1: 2})",
        "df['a'] = df['a'].replace('x', np.nan)",
        "df['a'] = df['a'].replace({'x': 0}).astype(int)",
        "df['a'] = df['a'].replace({'x': 0}).infer_objects()",
        "t = text.replace('x', 'y')",
    ],
)
_add(
    "nanoseconds",
    NO_FAULT,
    [
        (
            "x = df['date'].astype(int) // 10 ** 9",
            "x = df['date'].astype('datetime64[ns]').astype(int) // 10 ** 9",
        ),
        (
            "x = df.index.astype('int64') / 1000000000.0",
            "x = df.index.astype('datetime64[ns]').astype('int64') / 1000000000.0",
        ),
    ],
    ["x = df['price'].astype(int) / 10 ** 9", "x = df['date'].astype(int) / 2", "x = df['date'].astype(str)"],
)
_add(
    "value_counts_index",
    NO_FAULT,
    [
        (
            "t = df['a'].value_counts().reset_index()\nt['index']",
            "t = df['a'].value_counts().rename_axis('index').reset_index(name='a')\nt['index']",
        ),
        (
            "t = df.a.value_counts().head(5).reset_index()\nt.rename(columns={'index': 'x'})",
            "t = df.a.value_counts().head(5).rename_axis('index').reset_index(name='a')\n"
            "t.rename(columns={'index': 'x'})",
        ),
        (
            "t = df.a.value_counts().reset_index(name='n')\npx.bar(t, x='index', y='n')",
            "t = df.a.value_counts().rename_axis('index').reset_index(name='n')\npx.bar(t, x='index', y='n')",
        ),
        (
            "v = df[df.b > 1]['a'].value_counts()\nt = v.reset_index()\nt['index']",
            "v = df[df.b > 1]['a'].value_counts()\nt = "
            "v.rename_axis('index').reset_index(name='a')\nt['index']",
        ),
        (
            "t = df[c].value_counts().to_frame().reset_index()\nt['index']",
            "t = df[c].value_counts().rename_axis('index').reset_index(name=c)\nt['index']",
        ),
    ],
    [
        "t = df['a'].value_counts().reset_index()\nt['count']",
        "t = df['a'].value_counts().reset_index()\nt.columns = ['x', 'y']",
        "t = df['a'].value_counts().rename_axis('x').reset_index(name='n')\nu['index']",
        "t = df.reset_index()\nt['index']",
        "df = df.reset_index()\ndf['index']",
        "a = b.reset_index()\nb = a.reset_index()\nb['index']",
        "t = df.groupby('a').size().reset_index()\nt['index']",
        "t = df[['a', 'b']].value_counts().reset_index()\nt['index']",
    ],
)

# pandas: what raises
_add(
    "numeric_only",
    TEXT,
    [
        ("df.corr()", "df.corr(numeric_only=True)"),
        ("df.corr('spearman')", "df.corr('spearman', numeric_only=True)"),
        ("df.groupby('a').mean()", "df.groupby('a').mean(numeric_only=True)"),
        ("df[['a', 'b']].sum()", "df[['a', 'b']].sum(numeric_only=True)"),
        ("df.sum(1)", "df.sum(1, numeric_only=True)"),
        ("df.quantile(0.5)", "df.quantile(0.5, numeric_only=True)"),
        ("df.groupby('a').agg('mean')", "df.groupby('a').mean(numeric_only=True)"),
        ("df.groupby('a').agg(np.mean)", "df.groupby('a').mean(numeric_only=True)"),
        (
            "df.groupby('a').agg(['mean', 'std'])",
            "df.groupby('a')[[c for c in df.select_dtypes('number').columns if c not in "
            "['a']]].agg(['mean', 'std'])",
        ),
        (
            "df.pivot_table(index='a', columns='b')",
            "df.pivot_table(index='a', columns='b', "
            "values=[c for c in df.select_dtypes('number').columns if c not in ['a', 'b']])",
        ),
        (
            "pd.pivot_table(df, index=['a'])",
            "pd.pivot_table(df, index=['a'], values=[c for c in "
            "df.select_dtypes('number').columns if c not in ['a']])",
        ),
        ("np.mean(df)", "df.mean(numeric_only=True)"),
    ],
    [
        "df['a'].mean()",
        "df.a.mean()",
        "df.corr(numeric_only=False)",
        "np.mean(df['x'])",
        "df.mean(axis)",
        "df['a'].str.len().mean()",
        "df.groupby('a').agg({'b': 'mean'})",
        "df.pivot_table(values='c', index='a')",
        "df.a.corr(df.b)",
        "max(x)",
        "df.values.max()",
    ],
)
_add(
    "numeric_groups",
    TEXT,
    [
        (
            "g = df.groupby('a').sum()\nsns.heatmap(g)",
            "g = df.groupby('a').sum(numeric_only=True)\nsns.heatmap(g)",
        )
    ],
    ["g = df.groupby('a')['b'].sum()\nsns.heatmap(g)", "x = df.sum()", "x = df.rolling(3).mean()"],
)
_add(
    "column_as_flag",
    Fault("ValueError", "numeric_only accepts only Boolean values"),
    [("df.groupby('a').mean('b')", "df.groupby('a').mean(numeric_only=True)")],
    ["df.groupby('a').mean()", "df.corr('spearman')", "df.mean(axis=0)"],
)
_add(
    "numeric_interpolation",
    Fault("TypeError", "Cannot interpolate with str dtype"),
    [
        ("x = df.interpolate(limit=3)", "x = df.assign(**df.select_dtypes('number').interpolate(limit=3))"),
        ("df.interpolate(inplace=True)", "df = df.assign(**df.select_dtypes('number').interpolate())"),
    ],
    ["x = df['a'].interpolate()", "x = interpolate(df)"],
)
_add(
    "append_to_concat",
    _gone("DataFrame", "append"),
    [
        ("x = a.append(b)", "x = pd.concat([a, b])"),
        ("x = a.append([b, c], ignore_index=True)", "x = pd.concat([a, b, c], ignore_index=True)"),
        (
            "x = a.append({'b': 1}, ignore_index=True)",
            "x = pd.concat([a, pd.DataFrame([{'b': 1}])], ignore_index=True)",
        ),
        (
            "r = pd.Series(b)\nx = a.append(r, ignore_index=True)",
            "r = pd.Series(b)\nx = pd.concat([a, pd.DataFrame([r])], ignore_index=True)",
        ),
    ],
    ["names.append(b)", "x = [n.append for n in a]"],
)
_add(
    "ix_to_loc",
    _gone("DataFrame", "ix"),
    [
        ("x = df.ix[0]", "x = df.loc[0]"),
        ("x = df.ix[mask, 'a']", "x = df.loc[mask, 'a']"),
        ("x = df.ix[:, 0:5]", "x = df.iloc[:, 0:5]"),
        ("x = df.ix[mask, 3]", "x = df.loc[mask, df.columns[3]]"),
        ("df.ix[mask, 3] = 1", "df.loc[mask, df.columns[3]] = 1"),
    ],
    ["x = df.loc[0]", "x = ix[0]"],
)
_add(
    "sort_to_sort_values",
    _gone("DataFrame", "sort"),
    [
        ("x = df.sort('a')", "x = df.sort_values('a')"),
        ("x = df.sort(columns='a', ascending=False)", "x = df.sort_values(by='a', ascending=False)"),
        ("x = s.order()", "x = s.sort_values()"),
        ("x = df.sort_index(by='a')", "x = df.sort_values(by='a')"),
        ("s.sort()", "s.sort_values(inplace=True)"),
    ],
    ["x = df.sort_index()", "x = sorted(a)", "x = df.sort_values('a')"],
)
_add(
    "fill_method",
    Fault("TypeError", "NDFrame.fillna() got an unexpected keyword argument 'method'"),
    [
        ("s.fillna(method='ffill')", "s.ffill()"),
        ("s.fillna(method='bfill', limit=1)", "s.bfill(limit=1)"),
        ("s.fillna(method='pad', inplace=True)", "s.ffill(inplace=True)"),
    ],
    ["s.fillna(0)", "df.corr(method='pearson')", "s.fillna(method=how)"],
)
_add(
    "moving_window",
    Fault("AttributeError", "module 'pandas' has no attribute 'rolling_mean'"),
    [
        ("pd.rolling_mean(s, 12)", "s.rolling(12).mean()"),
        ("pd.rolling_std(df['a'], window=3, center=True)", "df['a'].rolling(window=3, center=True).std()"),
        ("pd.ewma(s, halflife=3)", "s.ewm(halflife=3).mean()"),
        ("pd.rolling_corr(a, b, 3)", "a.rolling(3).corr(b)"),
    ],
    ["s.rolling(12).mean()", "mine.rolling_mean(s, 12)"],
)
_add(
    "function_to_method",
    Fault("AttributeError", "module 'pandas' has no attribute 'value_counts'"),
    [
        ("pd.value_counts(s)", "pd.Series(s).value_counts()"),
        ("pd.value_counts(s, normalize=True)", "pd.Series(s).value_counts(normalize=True)"),
        ("pd.unique(names)", "pd.Series(names).unique()"),
        ("pd.TimeGrouper('M')", "pd.Grouper(freq='M')"),
        ("np.asscalar(x)", "np.asarray(x).item()"),
    ],
    ["s.value_counts()", "pd.unique(df['a'])", "collections.value_counts(s)"],
)
_add(
    "removed_method",
    _gone("Series", "clip_upper"),
    [
        ("s.clip_upper(3)", "s.clip(upper=3)"),
        ("s.mad()", "(s - s.mean()).abs().mean()"),
        ("df.irow(3)", "df.iloc[3]"),
        ("df.icol(3)", "df.iloc[:, 3]"),
        ("df.convert_objects(convert_numeric=True)", "df.apply(pd.to_numeric, errors='coerce')"),
        ("df.sortlevel(1)", "df.sort_index(level=1)"),
        ("s.tshift(3)", "s.shift(3, freq='infer')"),
        ("plt.legend().draggable()", "plt.legend().set_draggable(True)"),
    ],
    ["s.clip(upper=3)", "mad(s)", "s.shift(3)"],
)
_add(
    "group_columns",
    Fault("ValueError", "Cannot subset columns with a tuple with more than one element. Use a list instead."),
    [
        ("x = df.groupby('a')['b', 'c'].mean()", "x = df.groupby('a')[['b', 'c']].mean()"),
        ("x = g['b', 'c'].mean()", "x = g[['b', 'c']].mean()"),
    ],
    ["x = df.groupby('a')[['b', 'c']]", "x = df.loc[1, 'a']", "x = a[1:2, 3]"],
)
_add(
    "groups_of_columns",
    Fault("TypeError", "DataFrame.groupby() got an unexpected keyword argument 'axis'"),
    [
        ("x = df.groupby(f, axis=1).sum()", "x = df.T.groupby(f).sum().T"),
        ("x = df.groupby('a', axis=0).sum()", "x = df.groupby('a').sum()"),
    ],
    ["x = df.groupby('a').sum(axis=1)", "x = df.groupby('a').sum()"],
)
_add(
    "named_aggregation",
    Fault("SpecificationError", "nested renamer is not supported"),
    [
        (
            "df.groupby('a').agg({'b': {'m': 'mean', 's': np.sum}, 'c': ['max']})",
            "df.groupby('a').agg({'b': ['mean', np.sum], 'c': ['max']})"
            ".rename(columns={'mean': 'm', 'sum': 's'}, level=1)",
        ),
        ("df.groupby('a')['b'].agg({'m': 'mean'})", "df.groupby('a')['b'].agg(m='mean')"),
        (
            "df.groupby('a')['b'].agg({'the mean': 'mean'})",
            "df.groupby('a')['b'].agg(**{'the mean': 'mean'})",
        ),
    ],
    ["df.groupby('a').agg('mean')", "df.groupby('a').agg(m=('b', 'mean'))"],
)
_add(
    "series_position",
    Fault("KeyError", "0"),
    [
        ("x = counts[0]", "x = counts.iloc[0]"),
        ("plt.text(i, counts[i], 'a')", "plt.text(i, counts.iloc[i], 'a')"),
    ],
    ["x = counts.iloc[0]", "x = df.columns[0]", "x = df['a']", "x = counts[1]", "counts[0] = 1"],
)
_add(
    "series_positions",
    Fault("KeyError", "\"None of [Index([0, 1], dtype='int64')] are in the [index]\""),
    [("x = counts[[0, 1]]", "x = counts.iloc[[0, 1]]")],
    ["x = df[['a', 'b']]", "x = [0, 1]"],
)
_add(
    "value_counts_names",
    Fault("KeyError", "'a'"),
    [
        (
            "t = df['a'].value_counts().reset_index()",
            "t = df['a'].value_counts().rename_axis('index').reset_index(name='a')",
        ),
        (
            "t = df['a'].value_counts().to_frame()",
            "t = df['a'].value_counts().rename_axis(None).to_frame('a')",
        ),
    ],
    ["t = df['a'].value_counts()", "t = df['a'].to_frame()", "t = df['a'].value_counts().to_frame('n')"],
)
_add(
    "axis_beside_columns",
    Fault("ValueError", "Cannot specify both 'axis' and 'index'/'columns'"),
    [
        ("df.drop(columns=['a'], axis=1)", "df.drop(columns=['a'])"),
        ("df = df.drop(index=[0], axis=0, inplace=False)", "df = df.drop(index=[0], inplace=False)"),
    ],
    ["df.drop(['a'], axis=1)", "df.drop(columns=['a'])", "df.mean(axis=1)"],
)
_add(
    "drop_missing",
    Fault("KeyError", "\"['Unnamed: 0'] not found in axis\""),
    [
        ("df.drop('a', axis=1)", "df.drop('a', axis=1, errors='ignore')"),
        ("df.drop(['a'], 1)", "df.drop(['a'], axis=1, errors='ignore')"),
    ],
    ["df.drop('a', axis=1, errors='ignore')", "drop(x)"],
)
_add(
    "group_keys",
    Fault("KeyError", "'a'"),
    [
        ("df.groupby('a').apply(f)", "df.groupby(df['a'].copy()).apply(f)"),
        ("df.groupby(['a']).apply(f)", "df.groupby(df['a'].copy()).apply(f)"),
    ],
    ["df.groupby('b').apply(f)", "df.groupby('a').mean()", "df['b'].apply(f)"],
)
_add(
    "resample_how",
    Fault("TypeError", "NDFrame.resample() got an unexpected keyword argument 'how'"),
    [
        ("df.resample('D', how='mean')", "df.resample('D').mean()"),
        ("df.resample('D', how=np.sum)", "df.resample('D').agg(np.sum)"),
        ("df.resample('D', fill_method='pad')", "df.resample('D').ffill()"),
    ],
    ["df.resample('D').mean()", "df.merge(b, how='left')"],
)
_add(
    "category_type",
    Fault("TypeError", "NDFrame.astype() got an unexpected keyword argument 'categories'"),
    [
        (
            "s.astype('category', categories=c, ordered=True)",
            "s.astype(pd.CategoricalDtype(categories=c, ordered=True))",
        )
    ],
    ["s.astype('category')", "pd.Categorical(s, categories=c)"],
)
_add(
    "ignored_errors",
    Fault("ValueError", "invalid error value specified"),
    [
        (
            "x = pd.to_numeric(s, errors='ignore')",
            "x = pd.to_numeric(s, errors='coerce') if pd.to_numeric(s, errors='coerce').isna().sum() "
            "== s.isna().sum() else s",
        ),
        (
            "x = df.apply(pd.to_numeric, errors='ignore')",
            "x = df.apply(lambda c: pd.to_numeric(c, errors='coerce') if "
            "pd.to_numeric(c, errors='coerce').isna().sum() == c.isna().sum() else c)",
        ),
    ],
    ["x = pd.to_numeric(s, errors='coerce')", "x = s.astype(int, errors='ignore')"],
)
_add(
    "numeric_dummies",
    Fault("ValueError", "Pandas data cast to numpy dtype of object. Check input data with np.asarray(data)."),
    [("x = pd.get_dummies(df)", "x = pd.get_dummies(df, dtype='uint8')")],
    ["x = pd.get_dummies(df, dtype=int)", "x = get_dummies"],
)
_add(
    "writable_values",
    Fault("ValueError", "assignment destination is read-only"),
    [("x = df.values\nx[0] = 1", "x = df.to_numpy(copy=True)\nx[0] = 1")],
    ["x = df.to_numpy()", "df.values = x"],
)
_add(
    "array_axes",
    Fault("ValueError", "Multi-dimensional indexing (e.g. `obj[:, None]`) is no longer supported."),
    [
        ("x = df['a'][:, None]", "x = np.asarray(df['a'])[:, None]"),
        ("x = s[:, np.newaxis]", "x = np.asarray(s)[:, np.newaxis]"),
    ],
    ["x = a[:, 0]", "x = df.loc[:, 'a']"],
)
_add(
    "missing_as_text",
    Fault("TypeError", "sequence item 3: expected str instance, float found"),
    [("' '.join(df['a'].astype(str))", "' '.join(df['a'].map(str))")],
    ["df['a'].astype(int)", "' '.join(df['a'])"],
)
_add(
    "renamed_labels",
    Fault("ValueError", "Use `.rename` to alter labels with a mapper."),
    [("x = df.rename_axis({'a': 'b'}, axis=1)", "x = df.rename({'a': 'b'}, axis=1)")],
    ["x = df.rename_axis('a')", "x = df.rename({'a': 'b'})"],
)
_add(
    "subtype_test",
    Fault("TypeError", "Cannot interpret '<StringDtype(na_value=nan)>' as a data type"),
    [
        (
            "x = np.issubdtype(df[c].dtype, np.number)",
            "x = pd.api.types.is_numeric_dtype(df[c].dtype)",
        )
    ],
    ["x = issubclass(a, b)", "x = np.issubdtype(df[c].dtype, kind)"],
)
_FREQUENCY = Fault("ValueError", "Invalid frequency: M. Failed to parse with error message: …")
_add(
    "frequency_alias",
    _FREQUENCY,
    [
        ("s.resample('M').mean()", "s.resample('ME').mean()"),
        ("s.resample('2Q').mean()", "s.resample('2QE').mean()"),
        ("pd.Grouper(key='d', freq='A-DEC')", "pd.Grouper(key='d', freq='YE-DEC')"),
        ("s.resample('15T').sum()", "s.resample('15min').sum()"),
        ("pd.date_range(a, b, freq='H')", "pd.date_range(a, b, freq='h')"),
        ("s.dt.floor('H')", "s.dt.floor('h')"),
        ("freq = 'M'\ns.resample(freq)", "freq = 'ME'\ns.resample(freq)"),
    ],
    ["s.resample('W').mean()", "s.resample('MS').mean()", "f('M')", "s.dt.to_period('M')", "x = 'M'"],
)
_add(
    "day_first",
    Fault("ValueError", 'time data "13/02/2018" doesn\'t match format "%m/%d/%Y".'),
    [("d = pd.to_datetime(s)", "d = pd.to_datetime(s, dayfirst=True)")],
    ["d = pd.to_datetime(s, format='%d')", "d = pd.to_datetime(s, dayfirst=False)", "d = f(s)"],
)
_add(
    "mixed_dates",
    Fault("ValueError", 'time data "Mar 2, 2018" doesn\'t match format "%m/%d/%Y".'),
    [
        ("d = pd.to_datetime(s)", "d = pd.to_datetime(s, format='mixed')"),
        ("d = pd.to_datetime(s, format='%d')", "d = pd.to_datetime(s, format='mixed')"),
        ("d = pd.to_datetime(s, dayfirst=True)", "d = pd.to_datetime(s, dayfirst=True, format='mixed')"),
    ],
    ["d = pd.to_datetime(s, errors='coerce')", "d = strptime(s)"],
)
_add(
    "date_part",
    _gone("DatetimeProperties", "week"),
    [
        ("d.dt.week", "d.dt.isocalendar().week"),
        ("d.dt.weekday_name", "d.dt.day_name()"),
        ("df.index.weekofyear", "df.index.isocalendar().week"),
    ],
    ["d.dt.month", "df['week']"],
)
_add(
    "time_unit",
    Fault("TypeError", "Casting to unit-less dtype 'datetime64' is not supported."),
    [
        ("s.astype('datetime64')", "s.astype('datetime64[ns]')"),
        ("d.astype('timedelta64[D]')", "d // pd.Timedelta(1, 'D')"),
        ("d / np.timedelta64(1, 'Y')", "d / pd.Timedelta(days=365.2425)"),
        ("s.astype('datetime64[M]')", "s.dt.to_period('M').dt.to_timestamp()"),
        ("s.astype('datetime64[D]')", "s.dt.normalize()"),
    ],
    ["s.astype('datetime64[ns]')", "d / np.timedelta64(1, 'D')", "s.astype(int)"],
)

# seaborn
_add(
    "seaborn_keywords",
    NO_FAULT,
    [
        ("sns.countplot('a', data=df)", "sns.countplot(x='a', data=df)"),
        ("sns.countplot(df['a'])", "sns.countplot(x=df['a'])"),
        ("sns.countplot(df['a'], hue=df['b'])", "sns.countplot(x=df['a'], hue=df['b'])"),
        ("sns.barplot(df.a, df.b)", "sns.barplot(x=df.a, y=df.b)"),
        ("sns.boxplot('a', 'b', 'c', df)", "sns.boxplot(x='a', y='b', hue='c', data=df)"),
        ("sns.lmplot('a', 'b', df)", "sns.lmplot(x='a', y='b', data=df)"),
        ("sns.kdeplot(df.a, df.b)", "sns.kdeplot(x=df.a, y=df.b)"),
        ("sns.relplot('a', 'b', data=df)", "sns.relplot(x='a', y='b', data=df)"),
        ("import seaborn as sb\nsb.boxplot(df[c])", "import seaborn as sb\nsb.boxplot(x=df[c])"),
        (
            "from seaborn import countplot\ncountplot('a', data=df)",
            "from seaborn import countplot\ncountplot(x='a', data=df)",
        ),
    ],
    [
        "sns.boxplot(df)",
        "sns.boxplot(df, x='a')",
        "sns.boxplot(x='a', y='b', data=df)",
        "sns.heatmap(df)",
        "other.countplot('a', data=df)",
        "sns.histplot(df['a'])",
        "sns.lineplot(df['a'])",
        "names = ['a', 'b']\nsns.boxplot(df[names])",
        "sns.kdeplot(df.a)",
        "sns.boxplot(df[['a', 'b']])",
    ],
)
_add(
    "factorplot_to_catplot",
    NO_FAULT,
    [
        (
            "sns.factorplot(x='a', y='b', size=9, data=df)",
            "sns.catplot(x='a', y='b', height=9, data=df, kind='point')",
        ),
        (
            "sns.factorplot(x='a', x_order=n, data=df)",
            "sns.catplot(x='a', order=n, data=df, kind='count')",
        ),
        ("sns.factorplot(x='a', kind='bar')", "sns.catplot(x='a', kind='bar')"),
    ],
    ["sns.catplot(x='a')", "mine.factorplot(x)"],
)
_add(
    "tsplot_to_lineplot",
    Fault("AttributeError", "module 'seaborn' has no attribute 'tsplot'"),
    [
        (
            "sns.tsplot(data=df, time='t', value='v', condition='c', unit='u')",
            "sns.lineplot(data=df, x='t', y='v', hue='c')",
        ),
        ("sns.tsplot(s)", "sns.lineplot(x=range(len(s)), y=s)"),
        ("sns.tsplot(s, time=t)", "sns.lineplot(x=t, y=s)"),
    ],
    ["sns.lineplot(data=df)", "tsplot(s)"],
)
_add(
    "distplot_to_histplot",
    Fault("AttributeError", "module 'seaborn' has no attribute 'distplot'"),
    [
        ("sns.distplot(x)", "sns.histplot(x, kde=True, stat='density')"),
        ("sns.distplot(x, kde=False, bins=9)", "sns.histplot(x, bins=9)"),
        ("sns.distplot(x, 9, hist=False, color='r')", "sns.kdeplot(x, color='r')"),
    ],
    ["sns.histplot(x)", "distplot(x)"],
)
_add(
    "grid_annotation",
    _gone("JointGrid", "annotate"),
    [
        ("sns.jointplot(x='a', y='b', data=df).annotate(f)", "sns.jointplot(x='a', y='b', data=df)"),
        ("g = sns.JointGrid(df).annotate(f)", "g = sns.JointGrid(df)"),
        ("g.annotate(f)", ""),
    ],
    ["sns.jointplot(x='a', y='b', data=df)", "g.plot_joint(f)"],
)
_add(
    "rows_in_order",
    Fault("ValueError", "cannot reindex on an axis with duplicate labels"),
    [
        ("sns.countplot(y=s, order=n)", "sns.countplot(y=s.reset_index(drop=True), order=n)"),
        (
            "sns.boxplot(x=df.a, y=df['b'])",
            "sns.boxplot(x=df.a.reset_index(drop=True), y=df['b'].reset_index(drop=True))",
        ),
    ],
    ["sns.countplot(x='a', data=df)", "df.reindex(x=s)", "sns.boxplot(x=[1, 2])"],
)
_add(
    "ci_to_errorbar",
    Fault("AttributeError", "Rectangle.set() got an unexpected keyword argument 'ci'"),
    [
        ("sns.barplot(x=a, ci=None)", "sns.barplot(x=a, errorbar=None)"),
        ("sns.barplot(x=a, ci=95)", "sns.barplot(x=a, errorbar=('ci', 95))"),
        ("sns.lineplot(x=a, ci='sd')", "sns.lineplot(x=a, errorbar='sd')"),
    ],
    ["sns.regplot(x=a, ci=None)", "sns.barplot(x=a, errorbar=None)"],
)

# matplotlib
_add(
    "seaborn_style",
    NO_FAULT,
    [
        ("plt.style.use('seaborn-whitegrid')", "plt.style.use('seaborn-v0_8-whitegrid')"),
        ("plt.style.use(['seaborn', 'ggplot'])", "plt.style.use(['seaborn-v0_8', 'ggplot'])"),
    ],
    ["plt.style.use('seaborn-v0_8')", "plt.style.use('ggplot')", "f('seaborn')"],
)
_add(
    "unknown_style",
    Fault("OSError", "'my_own' is not a valid package style, path of style file, …"),
    [("plt.style.use('my_own')", "")],
    ["plt.plot(x)", "style.user('x')"],
)
_add(
    "projected_axes",
    NO_FAULT,
    [
        ("ax = plt.gca(projection='3d')", "ax = plt.subplot(projection='3d')"),
        ("ax = fig.gca(projection='3d')", "ax = fig.add_subplot(projection='3d')"),
        (
            "from mpl_toolkits.mplot3d import Axes3D\nax = Axes3D(fig, elev=3)",
            "from mpl_toolkits.mplot3d import Axes3D\nax = fig.add_subplot(projection='3d', elev=3)",
        ),
    ],
    ["ax = plt.gca()", "ax = fig.add_subplot(projection='3d')", "ax = Axes3D(fig)"],
)
_add(
    "tick_switches",
    NO_FAULT,
    [
        ("plt.tick_params(top='off', left='on')", "plt.tick_params(top=False, left=True)"),
        ("ax.grid('off')", "ax.grid(False)"),
    ],
    ["plt.axis('off')", "plt.tick_params(top=False)", "f(top='off')"],
)
_add(
    "removed_setting",
    Fault("KeyError", "\"'text.latex.unicode' is not a valid value for rcParam.\""),
    [
        ("plt.rcParams['text.latex.unicode'] = True", ""),
        (
            "plt.rcParams.update({'text.latex.unicode': True, 'font.size': 3})",
            "plt.rcParams.update({'font.size': 3})",
        ),
    ],
    ["plt.rcParams['font.size'] = 3", "d['x'] = 1"],
)
_add(
    "removed_setting",
    Fault("KeyError", "\"'axes.color_cycle' is not a valid value for rcParam.\""),
    [("mpl.rcParams['axes.color_cycle'] = c", "mpl.rcParams['axes.prop_cycle'] = plt.cycler(color=c)")],
    [],
)
_add(
    "color_cycle",
    _gone("Axes", "set_color_cycle"),
    [("ax.set_color_cycle(c)", "ax.set_prop_cycle(color=c)")],
    ["ax.set_prop_cycle(color=c)"],
)
_add(
    "tick_labels",
    Fault("TypeError", "Axis.set_ticklabels() missing 1 required positional argument: 'labels'"),
    [
        ("ax.set_xticklabels(rotation=90)", "ax.tick_params('x', labelrotation=90)"),
        ("ax.set_yticklabels(fontsize=9)", "ax.tick_params('y', labelsize=9)"),
    ],
    ["ax.set_xticklabels(names, rotation=90)", "ax.set_title('x')"],
)
_add(
    "plot_date",
    _gone("Axes", "plot_date"),
    [
        ("ax.plot_date(x, y)", "ax.plot(x, y, 'o')"),
        ("plt.plot_date(x, y, fmt='-', xdate=True)", "plt.plot(x, y, '-')"),
        ("plt.plot_date(x, y, linestyle='solid')", "plt.plot(x, y, linestyle='solid')"),
    ],
    ["plt.plot(x, y)"],
)
_add(
    "series_plot_kind",
    Fault("TypeError", "`Series.plot()` should not be called with positional arguments, only keyword"),
    [("s.plot('bar', figsize=a)", "s.plot(kind='bar', figsize=a)")],
    ["s.plot(kind='bar')", "plt.plot(x, y)"],
)
_add(
    "colorbar_place",
    Fault("ValueError", "Unable to determine Axes to steal space for Colorbar. Either provide …"),
    [("plt.colorbar(sm)", "plt.colorbar(sm, ax=plt.gca())")],
    ["plt.colorbar(sm, ax=ax)", "plt.colorbar(sm, cax=ax)", "plt.plot(x)"],
)
_add(
    "generators",
    Fault("RuntimeError", "matplotlib does not support generators as input"),
    [("plt.plot(map(float, x))", "plt.plot(list(map(float, x)))")],
    ["plt.plot(x)", "plt.plot(list(map(float, x)))"],
)
_add(
    "subplot_code",
    Fault("ValueError", "Single argument to subplot must be a three-digit integer, not '211'"),
    [("plt.subplot('211')", "plt.subplot(211)"), ("fig.add_subplot('211')", "fig.add_subplot(211)")],
    ["plt.subplot(211)", "plt.subplot(2, 1, 1)"],
)
_add(
    "hollow_points",
    Fault(
        "ValueError", "'c' argument must be a color, a sequence of colors, or a sequence of numbers, not ''"
    ),
    [("plt.scatter(x, y, c='')", "plt.scatter(x, y, facecolors='none')")],
    ["plt.scatter(x, y, c='r')"],
)
_add(
    "color_letters",
    Fault("ValueError", "'facecolor' or 'color' argument must be a valid color or sequence of colors."),
    [("plt.bar(x, y, color='rgb')", "plt.bar(x, y, color=list('rgb'))")],
    ["plt.bar(x, y, color='r')", "plt.bar(x, y, color='red')"],
)
_add(
    "artist_lists",
    _gone("ArtistList", "remove"),
    [
        ("ax.lines.remove(line)", "line.remove()"),
        ("ax.lines = []", "for artist in list(ax.lines):\n    artist.remove()"),
    ],
    ["names.remove(x)", "lines = []"],
)
_add(
    "window_title",
    _gone("FigureCanvasAgg", "set_window_title"),
    [("fig.canvas.set_window_title('a')", "")],
    ["fig.suptitle('a')"],
)

# plotly
_add(
    "plotly_shown",
    NO_FAULT,
    [
        (
            "import plotly.offline as py\npy.plot(f, filename='a.html')",
            "import plotly.offline as py\npy.iplot(f)",
        ),
        (
            "from plotly.offline import plot\nplot(f)",
            "from plotly.offline import plot, iplot\niplot(f)",
        ),
        (
            "import plotly.offline as py\npy.iplot(f, fileopt='x')",
            "import plotly.offline as py\npy.iplot(f)",
        ),
    ],
    ["import plotly.offline as py\npy.iplot(f, filename='x')", "plt.plot(x)", "df.plot(x='a')"],
)
_add(
    "plotly_renderer",
    NO_FAULT,
    [
        ("import plotly.io as pio\npio.renderers.default = 'colab'", "import plotly.io as pio"),
        (
            "import plotly.express as px\npx.bar(df).show('notebook')",
            "import plotly.express as px\npx.bar(df).show()",
        ),
        ("import plotly.express as px\nf.show(renderer='svg')", "import plotly.express as px\nf.show()"),
    ],
    ["import plotly.express as px\npx.bar(df).show()", "image.show('title')", "x = 1"],
)
_add(
    "cufflinks_plot",
    NO_FAULT,
    [
        (
            "import cufflinks as cf\ndf.iplot(kind='bar', x='a', y='b', xTitle='t')",
            "df.plot(backend='plotly', kind='bar', x='a', y='b').update_layout(xaxis_title='t').show()",
        ),
        (
            "import cufflinks as cf\ndf['a'].iplot(kind='hist', bins=9)",
            "df['a'].plot(backend='plotly', kind='hist', nbins=9).show()",
        ),
        ("import cufflinks as cf\ncf.go_offline()", ""),
    ],
    ["import plotly.offline as py\npy.iplot(f)", "df.plot()"],
)
_add(
    "cufflinks_frame",
    _gone("DataFrame", "iplot"),
    [("df.iplot()", "df.plot(backend='plotly', kind='line').show()")],
    ["py.iplot(f)"],
)
_TITLE = Fault(
    "ValueError", "Invalid property specified for object of type plotly.graph_objs.Layout: 'titlefont'"
)
_add(
    "title_parts",
    _TITLE,
    [
        (
            "go.Layout(title='a', titlefont=dict(size=3))",
            "go.Layout(title=dict(text='a', font=dict(size=3)))",
        ),
        (
            "dict(xaxis=dict(title='a', titlefont={'size': 3}))",
            "dict(xaxis=dict(title=dict(text='a', font={'size': 3})))",
        ),
        (
            "x = {'title': 'a', 'titleside': 'top', 'b': 1}",
            "x = {'title': dict(text='a', side='top'), 'b': 1}",
        ),
        ("f.update_layout(xaxis_titlefont_size=3)", "f.update_layout(xaxis_title_font_size=3)"),
    ],
    ["go.Layout(title='a', font=dict(size=3))", "f(tickfont=3)"],
)
_add(
    "mapbox_to_map",
    Fault("ValueError", "Invalid property specified for object of type plotly.graph_objs.Layout: 'mapbox'"),
    [
        ("go.Layout(mapbox=dict(accesstoken=t, zoom=3))", "go.Layout(map=dict(zoom=3))"),
        ("f.update_layout(mapbox_zoom=3)", "f.update_layout(map_zoom=3)"),
    ],
    ["go.Layout(map=dict(zoom=3))"],
)
_add(
    "projection_name",
    Fault("ValueError", "Invalid value received for the 'type' property of layout.geo.projection"),
    [
        (
            "go.Layout(geo=dict(projection=dict(type='Mercator')))",
            "go.Layout(geo=dict(projection=dict(type='mercator')))",
        ),
        ("x = {'type': 'Orthographic'}", "x = {'type': 'orthographic'}"),
    ],
    ["x = {'type': 'mercator'}", "x = {'text': 'Mercator'}"],
)

# statistics
_add(
    "kept_axis",
    Fault("IndexError", "invalid index to scalar variable."),
    [("x = stats.mode(a)[0][0]", "x = stats.mode(a, keepdims=True)[0][0]")],
    ["x = df.mode()[0]", "x = stats.mode(a, keepdims=False)[0]"],
)
_add(
    "arima_moved",
    Fault("NotImplementedError", "statsmodels.tsa.arima_model.ARMA and ARIMA have been removed"),
    [
        (
            "from statsmodels.tsa.arima_model import ARIMA\nm = ARIMA(s, order=o).fit(disp=0)",
            "from statsmodels.tsa.arima.model import ARIMA\nm = ARIMA(s, order=o).fit()",
        )
    ],
    ["from statsmodels.tsa.arima.model import ARIMA", "m.fit(X, y)"],
)
_add(
    "changed_statistic",
    Fault("AttributeError", "module 'scipy.stats' has no attribute 'itemfreq'"),
    [
        ("stats.itemfreq(x)", "np.column_stack(np.unique(x, return_counts=True))"),
        ("stats.binom_test(3, n=9)", "stats.binomtest(3, n=9).pvalue"),
        ("stats.median_absolute_deviation(x)", "stats.median_abs_deviation(x, scale='normal')"),
    ],
    ["stats.norm.pdf(x)", "itemfreq(x)"],
)
_add(
    "imputer",
    Fault("TypeError", "SimpleImputer.__init__() got an unexpected keyword argument 'axis'"),
    [
        (
            "Imputer(missing_values='NaN', strategy='mean', axis=0)",
            "Imputer(missing_values=np.nan, strategy='mean')",
        )
    ],
    ["SimpleImputer(strategy='mean')", "df.mean(axis=0)"],
)
_add(
    "root_mean_square",
    Fault("TypeError", "got an unexpected keyword argument 'squared'"),
    [
        ("mean_squared_error(a, b, squared=False)", "np.sqrt(mean_squared_error(a, b))"),
        ("mean_squared_error(a, b, squared=True)", "mean_squared_error(a, b)"),
    ],
    ["mean_squared_error(a, b)"],
)

# Python 2
_add(
    "python_2_name",
    Fault("NameError", "name 'xrange' is not defined"),
    [("for i in xrange(3):\n    f(i)", "for i in range(3):\n    f(i)"), ("unicode(x)", "str(x)")],
    ["for i in range(3):\n    f(i)", "x = thing.unicode"],
)
_add(
    "python_2_name",
    Fault("NameError", "name 'reduce' is not defined"),
    [("x = reduce(f, a)", "import functools\nx = functools.reduce(f, a)")],
    ["x = sum(a)"],
)
_add(
    "python_2_list",
    Fault("TypeError", "'dict_keys' object is not subscriptable"),
    [
        ("x = d.keys()[0]", "x = list(d.keys())[0]"),
        ("x = range(3) + range(2)", "x = list(range(3)) + list(range(2))"),
        ("x = map(f, a)", "x = list(map(f, a))"),
    ],
    ["for k in d.keys():\n    f(k)", "x = list(d.keys())", "x = sorted(d.keys())"],
)
_add(
    "python_2_key",
    _gone("dict", "has_key"),
    [("x = d.has_key('a')", "x = 'a' in d"), ("x = sorted(a, cmp=f)", "x = sorted(a)")],
    ["x = 'a' in d"],
)
_add(
    "whole_quotient",
    Fault("TypeError", "'float' object cannot be interpreted as an integer"),
    [
        ("for i in range(n / 2):\n    f(i)", "for i in range(n // 2):\n    f(i)"),
        ("x = a[:n / 2]", "x = a[:n // 2]"),
        ("x = a[n / 2]", "x = a[n // 2]"),
    ],
    ["x = a / b", "x = f(n // 2)"],
)
