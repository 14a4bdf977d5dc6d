"""What is read back of one run."""

from __future__ import annotations

from lakebook.enhancement.run import came_through

TRACEBACK = """\
---------------------------------------------------------------------------
ValueError                                Traceback (most recent call last)
Cell In[3], line 10
      9         df=lake.copy()
---> 10 component()

Cell In[3], line 9, in component(lake)
      8             x = (1,
----> 9                g(df))

File /site-packages/pandas/core/frame.py:120, in DataFrame.apply(self, func)
    119         x = 1
--> 120         return op.apply()

Cell In[3], line 3, in <lambda>(d)
----> 3     return d.corr()

File /site-packages/pandas/core/frame.py:16564, in DataFrame.corr(self, method)
> 16564         mat = data.to_numpy(dtype=float)

File /site-packages/pandas/core/frame.py:1901, in DataFrame.to_numpy(self, dtype)
-> 1901         result = self._mgr.as_array(dtype=dtype)

ValueError: could not convert string to float: 'x'"""


def test_the_lines_of_the_cell_and_what_they_called() -> None:
    lines, inside = came_through(TRACEBACK.splitlines())
    assert lines == ("component()", "g(df))", "return d.corr()")
    assert inside == ("DataFrame.corr", "DataFrame.to_numpy")


def test_no_traceback_tells_nothing() -> None:
    assert came_through(()) == ((), ())
