package dev.tandem.server.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The files that pages load: a fixed list, kept in memory. The path of each has a hash of its content, so browsers keep it for
 * ever. The modules of the script name one another by their names alone, so all of them have one hash, that of all their contents.
 * Immutable.
 */
final class Assets {

    /** Before the paths of all assets. */
    static final String PATH = "/assets/";

    private static final String OWN = "/dev/tandem/server/console/";
    private static final String LIBRARIES = "/META-INF/resources/webjars/";
    private static final String SCRIPT = "text/javascript;charset=UTF-8";
    private static final int HASH_BYTES = 8;

    /** The modules of the script. The first one loads the others. */
    private static final List<String> MODULES = List.of(
            "console.js",
            "acts.js",
            "api.js",
            "busy.js",
            "changes.js",
            "charts.js",
            "exports.js",
            "find.js",
            "forms.js",
            "live.js",
            "menu.js",
            "messages.js",
            "operations.js",
            "page.js",
            "picks.js",
            "time-question.js",
            "times.js",
            "undo.js");

    /** @param type the media type */
    record Asset(byte[] content, String type, String hash) {}

    private final Map<String, Asset> all = new LinkedHashMap<>();

    /** @throws UncheckedIOException if one is missing */
    Assets() {
        add("console.css", OWN + "console.css", "text/css;charset=UTF-8");
        add("icon.svg", OWN + "icon.svg", "image/svg+xml");
        addModules();
        String charts = LIBRARIES + "uplot/" + versions().getProperty("uplot") + "/dist/";
        add("uplot.js", charts + "uPlot.iife.min.js", SCRIPT);
        add("uplot.css", charts + "uPlot.min.css", "text/css;charset=UTF-8");
    }

    /** Returns the versions of libraries, as the build has them. */
    private static Properties versions() {
        Properties versions = new Properties();
        try (InputStream in = Assets.class.getResourceAsStream(OWN + "libraries.properties")) {
            if (in == null) {
                throw new IOException("There is no libraries.properties");
            }
            versions.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return versions;
    }

    private void add(String name, String resource, String type) {
        byte[] content = read(resource);
        all.put(name, new Asset(content, type, hash(List.of(content))));
    }

    private void addModules() {
        List<byte[]> contents =
                MODULES.stream().map(name -> read(OWN + "scripts/" + name)).toList();
        String hash = hash(contents);
        for (int i = 0; i < contents.size(); i++) {
            all.put(MODULES.get(i), new Asset(contents.get(i), SCRIPT, hash));
        }
    }

    private static byte[] read(String resource) {
        try (InputStream in = Assets.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("There is no " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the modules that the first one loads. A page names them too, so that a browser asks for all at once. */
    static List<String> loadedModules() {
        return MODULES.subList(1, MODULES.size());
    }

    /** Returns the path of an asset. */
    String path(String name) {
        Asset asset = all.get(name);
        if (asset == null) {
            throw new IllegalArgumentException("There is no asset '" + name + "'");
        }
        return PATH + asset.hash() + "/" + name;
    }

    /** Returns an asset. Null if there is none of this name, or it has another hash. */
    @Nullable
    Asset find(String hash, String name) {
        Asset asset = all.get(name);
        return asset != null && asset.hash().equals(hash) ? asset : null;
    }

    private static String hash(List<byte[]> contents) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            contents.forEach(digest::update);
            return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
