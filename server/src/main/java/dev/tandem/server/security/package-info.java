/**
 * The login of the HTTP API: finds out who calls, and refuses what the caller may not do. Spring Security carries it; {@link
 * dev.tandem.server.access} decides.
 */
@NullMarked
package dev.tandem.server.security;

import org.jspecify.annotations.NullMarked;
