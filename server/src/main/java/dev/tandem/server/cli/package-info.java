/** The command line: a person's daily work against a running server. */
@NullMarked
package dev.tandem.server.cli;

import org.jspecify.annotations.NullMarked;
