/** The server program: settings, hosted handlers, HTTP API and command line. */
@NullMarked
package dev.tandem.server;

import org.jspecify.annotations.NullMarked;
