package drover.standalone.command;

import drover.localenv.DataDirectory;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where the mesh keeps its data. */
final class DataDirectoryOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = ".drover",
            description = "Data directory (default: .drover in the working directory).")
    private Path path = Path.of(".drover");

    DataDirectory directory() {
        return new DataDirectory(path);
    }
}
