/** Filters that leave messages out of the server's log, and count them. */
@NullMarked
package dev.tandem.server.logs;

import org.jspecify.annotations.NullMarked;
