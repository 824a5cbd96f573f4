/** The hosted handlers, which are part of the server: {@code http}, {@code log} and {@code noop}. */
@NullMarked
package dev.tandem.server.handlers;

import org.jspecify.annotations.NullMarked;
