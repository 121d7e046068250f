# The page is part of the object.
$(OBJ)/tools/simprof/reports/html/html.o: tools/simprof/reports/html/page.html
