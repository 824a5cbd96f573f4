package dev.tandem.kit;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of event logs: the components of records, and none of their other methods. */
final class JsonLines {

    static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultVisibility(visibility -> visibility
                    .withFieldVisibility(Visibility.ANY)
                    .withGetterVisibility(Visibility.NONE)
                    .withIsGetterVisibility(Visibility.NONE))
            .build();

    private JsonLines() {}
}
