/** What the server's log leaves out, and how it counts that. */
@NullMarked
package dev.tandem.server.logs;

import org.jspecify.annotations.NullMarked;
