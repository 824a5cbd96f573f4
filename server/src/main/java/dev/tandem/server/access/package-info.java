/**
 * Who may call the HTTP API, and what for: roles, tokens, and the record of what was changed. Nothing here knows HTTP or
 * Redis.
 */
@NullMarked
package dev.tandem.server.access;

import org.jspecify.annotations.NullMarked;
