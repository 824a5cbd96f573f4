package dev.tandem.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of the server program.
 *
 * @param help whether only the usage is to be printed
 * @param check whether only the settings are to be checked
 * @param files the files that {@code --config} names
 * @param settings settings in the form {@code --name=value}, the files among them
 */
record ServerArguments(boolean help, boolean check, List<Path> files, List<String> settings) {

    private static final String CONFIG = "--config";

    /** @throws IllegalArgumentException naming the argument that is wrong */
    static ServerArguments parse(String... args) {
        List<Path> files = new ArrayList<>();
        List<String> settings = new ArrayList<>();
        boolean help = false;
        boolean check = false;
        for (int i = 0; i < args.length; i++) {
            String arg = args[i];
            if (arg.equals("--help") || arg.equals("-h")) {
                help = true;
            } else if (arg.equals("--check")) {
                check = true;
            } else if (arg.equals(CONFIG)) {
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException("--config needs a file");
                }
                files.add(config(args[++i]));
                settings.add(location(files));
            } else if (arg.startsWith(CONFIG + "=")) {
                files.add(config(arg.substring(CONFIG.length() + 1)));
                settings.add(location(files));
            } else if (arg.matches("--[A-Za-z][^=]*=.*") || arg.equals("--debug") || arg.equals("--trace")) {
                settings.add(arg);
            } else {
                throw new IllegalArgumentException("'" + arg + "' can't be understood: settings are --name=value");
            }
        }
        return new ServerArguments(help, check, List.copyOf(files), List.copyOf(settings));
    }

    String[] forSpring() {
        return settings.toArray(String[]::new);
    }

    private static Path config(String name) {
        Path file = Path.of(name).toAbsolutePath();
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IllegalArgumentException("--config: there is no file " + file + " that can be read");
        }
        if (!name.matches(".*\\.(ya?ml|properties)")) {
            throw new IllegalArgumentException("--config: " + file + " must end in .yml, .yaml or .properties");
        }
        return file;
    }

    private static String location(List<Path> files) {
        return "--spring.config.additional-location="
                + files.get(files.size() - 1).toUri();
    }
}
