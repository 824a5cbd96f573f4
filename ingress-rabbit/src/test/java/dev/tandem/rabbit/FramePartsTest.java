package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.impl.Frame;
import org.junit.jupiter.api.Test;

class FramePartsTest {

    @Test
    void thePartsOfAFrameAreRead() {
        Frame frame = new Frame(2, 7);

        assertThat(FrameParts.type(frame)).isEqualTo(2);
        assertThat(FrameParts.channel(frame)).isEqualTo(7);
    }
}
