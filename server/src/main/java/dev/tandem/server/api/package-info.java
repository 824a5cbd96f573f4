/** The HTTP API under {@code /api/v1}, its errors, and what keeps web pages of others away from it. */
@NullMarked
package dev.tandem.server.api;

import org.jspecify.annotations.NullMarked;
