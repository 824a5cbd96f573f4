/**
 * Sentences for people in the languages that the server has. What says something gives the key of a text and its values; who
 * shows it chooses the language. The API, commands and logs have English; the console has the language of its page.
 */
@NullMarked
package dev.tandem.server.words;

import org.jspecify.annotations.NullMarked;
