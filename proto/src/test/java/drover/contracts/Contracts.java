package drover.contracts;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The descriptor sets that the tests look at: the present one, with comments, and the baseline. */
final class Contracts {
    /** Made by the build, with source information. */
    static final Path PRESENT = Path.of("target/classes/drover/contracts.binpb");

    /** What was published last; new contracts must stay compatible with it. */
    static final Path BASELINE = Path.of("baseline/contracts.binpb");

    private Contracts() {}

    /** Drover's own files as they are now. */
    static List<FileDescriptorProto> present() throws IOException {
        try (InputStream set = Contracts.class.getResourceAsStream("/drover/contracts.binpb")) {
            return own(FileDescriptorSet.parseFrom(Objects.requireNonNull(set)));
        }
    }

    /** Drover's own files as they were published last. */
    static List<FileDescriptorProto> baseline() throws IOException {
        return own(FileDescriptorSet.parseFrom(Files.readAllBytes(BASELINE)));
    }

    private static List<FileDescriptorProto> own(FileDescriptorSet set) {
        return set.getFileList().stream()
                .filter(file -> file.getPackage().startsWith("drover."))
                .toList();
    }
}
