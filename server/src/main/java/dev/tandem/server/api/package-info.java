/** The HTTP API under {@code /api/v1}, its errors, and its protection against web pages of other sites. */
@NullMarked
package dev.tandem.server.api;

import org.jspecify.annotations.NullMarked;
