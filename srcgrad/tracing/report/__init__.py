"""Reports: a function beside its generated code, and what each line of it costs."""
