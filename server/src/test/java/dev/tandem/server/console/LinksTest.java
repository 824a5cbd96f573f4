package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Links lead to what they name, whatever characters the name has. */
class LinksTest {

    @Test
    void namesAreEncodedAsPartsOfAPath() {
        assertThat(Links.key("orders", "a/b c+d?;")).isEqualTo("/queues/orders/keys/a%2Fb%20c%2Bd%3F%3B");
    }

    /** Browsers would leave out the part before. */
    @Test
    void loneDotsAreNoStepsWithinThePath() {
        assertThat(Links.key("orders", "..")).isEqualTo("/queues/orders/keys/..;");
        assertThat(Links.timeline("orders", ".")).isEqualTo("/queues/orders/keys/.;/timeline");
        assertThat(Links.apiTask("..", "...")).isEqualTo("/api/v1/queues/..;/tasks/...");
    }

    @Test
    void dotsAreThemselvesInAQuery() {
        assertThat(Links.tasksOfKey("orders", "..")).isEqualTo("/queues/orders/tasks?key=..");
        assertThat(Links.keys("orders", "..")).isEqualTo("/queues/orders/keys?cursor=..");
    }
}
