package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the OpenAPI document of the API, as it was when the server was built. */
@RestController
@Needs({})
final class DocumentController {

    @GetMapping(path = "/api/v1/openapi.json", produces = "application/json")
    Resource json() {
        return new ClassPathResource("openapi/tandem.json");
    }

    @GetMapping(path = "/api/v1/openapi.yaml", produces = "application/yaml")
    Resource yaml() {
        return new ClassPathResource("openapi/tandem.yaml");
    }
}
