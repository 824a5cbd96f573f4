package dev.tandem.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Reads the properties of {@link TandemTest}. */
final class TandemTestContextBootstrapper extends TestSliceTestContextBootstrapper<TandemTest> {

    TandemTestContextBootstrapper() {}
}
