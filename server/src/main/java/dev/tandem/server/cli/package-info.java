/** The command line for the daily work against a running server. */
@NullMarked
package dev.tandem.server.cli;

import org.jspecify.annotations.NullMarked;
