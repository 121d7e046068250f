/* deflated.h - data of a page, compressed (zlib, which every browser reads) and
 * written in letters (base64), so that a page of a long run can be sent.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_DEFLATED_H
#define TOOLS_SIMPROF_REPORTS_HTML_DEFLATED_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/analysis/profile/slices.h"

/* Sorted sums as a text: packed (lib/base/pack.h), in base64: of each slice the
 * number of its entries, then each as how much its number is more than that of
 * the one before it, and how many. The caller owns the reference. */
json_t *html_packed(const struct slice_sums *s);
/* The bytes that are packed. */
uint64_t html_packed_size(const struct slice_sums *s);

/* Write data as JSON, in the format of RFC 1950, in base64. Whether the file
 * took it shows when it is closed. */
void html_deflate(const json_t *data, FILE *to);

#endif
