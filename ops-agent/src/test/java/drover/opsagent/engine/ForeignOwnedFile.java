package drover.opsagent.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file that is another user's, and not for everybody: whoever brings it back and forgets owner or
 * mode is found out (D11).
 */
public final class ForeignOwnedFile {
    private static final String OTHER = "daemon"; // there is one on every Debian

    private ForeignOwnedFile() {}

    /** Makes the file one; where only its mode can be changed, it says so. */
    public static void make(Path file, String permissions) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(
                        file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setPermissions(PosixFilePermissions.fromString(permissions));
        if (!System.getProperty("user.name").equals("root")) {
            System.out.println(file + " keeps its owner: run the tests as root to see one kept");
            return;
        }
        var principals = file.getFileSystem().getUserPrincipalLookupService();
        view.setOwner(principals.lookupPrincipalByName(OTHER));
        view.setGroup(principals.lookupPrincipalByGroupName(OTHER));
    }
}
