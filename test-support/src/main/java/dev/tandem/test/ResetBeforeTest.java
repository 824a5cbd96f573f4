package dev.tandem.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Lets the {@link TestTandem} of a context forget everything before each test. */
final class ResetBeforeTest implements TestExecutionListener, Ordered {

    ResetBeforeTest() {}

    /** Before the listeners that begin a transaction or run scripts, which may submit tasks. */
    @Override
    public int getOrder() {
        return 3_500;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestTandem.class).ifAvailable(TestTandem::reset);
        }
    }
}
