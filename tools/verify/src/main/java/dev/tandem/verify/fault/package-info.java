/** What can go wrong: done to real processes, brokers and connections. */
@NullMarked
package dev.tandem.verify.fault;

import org.jspecify.annotations.NullMarked;
