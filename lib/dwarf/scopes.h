/* scopes.h - the name of a debugging entry with the scopes that it is described
 * in: geo::Shape::area. For the files of this room.
 */
#ifndef LIB_DWARF_SCOPES_H
#define LIB_DWARF_SCOPES_H

#include <elfutils/libdw.h>

#define SCOPED_NAME 1024 /* bytes of such a name, at most */

/* Write `name`, that of die, behind its scopes, which are those of its
 * description where it stands for another entry (DW_AT_abstract_origin,
 * DW_AT_specification). Cut where it does not fit. It walks die's unit, which
 * may be long. */
void scoped_name(Dwarf_Die *die, const char *name, char text[SCOPED_NAME]);

#endif
