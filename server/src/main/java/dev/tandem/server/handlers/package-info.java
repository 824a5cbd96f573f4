/** The handlers that the server itself has: {@code http}, {@code log} and {@code noop}. */
@NullMarked
package dev.tandem.server.handlers;

import org.jspecify.annotations.NullMarked;
