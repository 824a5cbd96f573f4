package dev.tandem.spring.shop;

import dev.tandem.api.Recurring;
import dev.tandem.api.TaskContext;
import org.springframework.stereotype.Component;

/** A schedule that is switched off unless a test gives it a time. */
@Component
class Reports {

    private final Journal journal;

    Reports(Journal journal) {
        this.journal = journal;
    }

    @Recurring(queue = "${shop.queue}", id = "${shop.report:report}", type = "report", cron = "${shop.report.cron:-}")
    void report(TaskContext task) {
        journal.add("report " + task.id());
    }
}
