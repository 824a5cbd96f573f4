/** Where commands find the token with which they call a server. Needs no library, so that commands start fast. */
@NullMarked
package dev.tandem.server.credentials;

import org.jspecify.annotations.NullMarked;
