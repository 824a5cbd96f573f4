package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BrokerImagesTest {

    @Test
    void imagesAreThoseOfDockerCompose() throws IOException {
        List<String> compose = Files.readAllLines(Path.of("../../docker-compose.yml"));

        assertThat(compose)
                .contains(
                        "    image: " + BrokerImages.kafka(KafkaServer.jarVersion()),
                        "    image: " + BrokerImages.RABBIT,
                        "    image: " + BrokerImages.REDIS);
    }
}
