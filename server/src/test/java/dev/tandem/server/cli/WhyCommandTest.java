package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WhyCommandTest {

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void theTextOfTheServerIsPrinted() {
        String zone = ZoneId.systemDefault().getId().replace("/", "%2F");
        server.answers.put("GET /api/v1/queues/orders/keys/a%20b/why?zone=" + zone, "{\"text\": \"a b waits. Wait.\"}");
        assertThat(server.run("why", "orders", "a b")).isZero();
        assertThat(server.out.toString().strip()).isEqualTo("a b waits. Wait.");
    }

    @Test
    void eitherAKeyOrATaskIsNamed() {
        assertThat(server.run("why", "orders", "--task", "@3/1:17")).isZero();
        assertThat(server.requests.get(0)).startsWith("GET /api/v1/queues/orders/tasks/%403%2F1%3A17/why?zone=");
        assertThat(server.run("why", "orders")).isEqualTo(2);
        assertThat(server.run("why", "orders", "k", "--task", "t")).isEqualTo(2);
    }
}
