/* deflated.h - data of a page, compressed (zlib, which every browser reads) and
 * written in letters (base64), so that a page of a long run can be sent.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_DEFLATED_H
#define TOOLS_SIMPROF_REPORTS_HTML_DEFLATED_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes as base64; the caller frees. */
char *html_base64(const uint8_t *byte, uint64_t size);

/* Write data as JSON, in the format of RFC 1950, in base64. Whether the file
 * took it shows when it is closed. */
void html_deflate(const json_t *data, FILE *to);

#endif
