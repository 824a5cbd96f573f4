package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.console.Assets.Asset;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Sends the files that pages load. They are the same for everybody, so they need no login. */
@Controller
@Needs({})
final class AssetController {

    private final Assets assets;

    AssetController(Assets assets) {
        this.assets = assets;
    }

    @GetMapping(Assets.PATH + "{hash}/{name}")
    void asset(@PathVariable String hash, @PathVariable String name, HttpServletResponse response) throws IOException {
        Asset asset = assets.find(hash, name);
        if (asset == null) {
            response.setStatus(HttpStatus.NOT_FOUND.value());
            return;
        }
        response.setContentType(asset.type());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "public, max-age=31536000, immutable");
        response.setContentLength(asset.content().length);
        response.getOutputStream().write(asset.content());
    }
}
