# The page and its scripts are part of the object.
$(OBJ)/tools/simprof/reports/html/html.o: $(wildcard tools/simprof/reports/html/*.html tools/simprof/reports/html/*.js)
