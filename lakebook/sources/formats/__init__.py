"""One profiler a format, all behind the protocol of `lakebook.sources.reading`."""
