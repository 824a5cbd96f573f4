package dev.tandem.test;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the test class that is its argument, and ends with status 0 if it succeeded. */
final class RunOneTest {

    private RunOneTest() {}

    public static void main(String[] arguments) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(arguments[0]))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.getFailures().forEach(each -> each.getException().printStackTrace());
        System.out.println(
                summary.getTestsSucceededCount() + " succeeded, " + summary.getTotalFailureCount() + " failed");
        System.exit(summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0 ? 0 : 1);
    }
}
