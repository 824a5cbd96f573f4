/** The short messages that end the server's start when a setting is wrong. */
@NullMarked
package dev.tandem.server.settings;

import org.jspecify.annotations.NullMarked;
