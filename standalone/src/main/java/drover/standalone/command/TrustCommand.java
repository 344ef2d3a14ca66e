package drover.standalone.command;

import drover.localenv.UserFacingError;
import drover.standalone.signing.KeyFiles;
import drover.standalone.signing.TrustRootFile;
import drover.trust.release.SigningKey;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover trust …}: keys, and the root that says whose signatures count. Offline. */
@Command(name = "trust", description = "Signing keys, and whose signatures nodes believe.")
public final class TrustCommand extends StandaloneCommandBase {
    /** The command with all of its own. */
    static CommandLine withSubcommands() {
        return new CommandLine(new TrustCommand())
                .addSubcommand(new CreateKey())
                .addSubcommand(new CreateRoot())
                .addSubcommand(new Rotate())
                .addSubcommand(new SignRoot())
                .addSubcommand(new Show());
    }

    @Override
    int run() {
        throw new UserFacingError("Say what to do: key, create, rotate, sign, show.");
    }

    /** {@code drover trust key}. */
    @Command(name = "key", description = "Makes a signing key: FILE, and FILE.pub for others.")
    static final class CreateKey extends StandaloneCommandBase {
        @Option(
                names = "--out",
                paramLabel = "FILE",
                required = true,
                description = "Where the private key goes; nobody else may read it.")
        private Path out = Path.of("");

        @Override
        int run() {
            SigningKey key = KeyFiles.create(out);
            print(key.id().value());
            return DONE;
        }
    }

    /** A command about one file of roots. */
    abstract static class RootFileCommand extends StandaloneCommandBase {
        @Parameters(paramLabel = "FILE", description = "The file with the roots.")
        private Path file = Path.of("");

        @Override
        final int run() {
            print(execute(new TrustRootFile(file), InstantSource.system().instant()));
            return DONE;
        }

        /** What it did, in one sentence. */
        abstract String execute(TrustRootFile roots, Instant now);
    }

    /** {@code drover trust create}. */
    @Command(name = "create", description = "Makes the first root of trust.")
    static final class CreateRoot extends RootFileCommand {
        @Mixin private TrustRootKeyOptions trusted = new TrustRootKeyOptions();
        @Mixin private SigningKeyOptions signing = new SigningKeyOptions();

        @Override
        String execute(TrustRootFile roots, Instant now) {
            return roots.create(trusted.loadRootKeys(now), signing.loadKeys());
        }
    }

    /** {@code drover trust rotate}. */
    @Command(
            name = "rotate",
            description = "Makes the next root: signed by enough of the old and of the new keys.")
    static final class Rotate extends RootFileCommand {
        @Mixin private TrustRootKeyOptions trusted = new TrustRootKeyOptions();
        @Mixin private SigningKeyOptions signing = new SigningKeyOptions();

        @Override
        String execute(TrustRootFile roots, Instant now) {
            return roots.rotate(trusted.loadRootKeys(now), signing.loadKeys());
        }
    }

    /** {@code drover trust sign}. */
    @Command(name = "sign", description = "Adds a signature to the last root.")
    static final class SignRoot extends RootFileCommand {
        @Mixin private SigningKeyOptions signing = new SigningKeyOptions();

        @Override
        String execute(TrustRootFile roots, Instant now) {
            return roots.sign(signing.loadRequiredKeys());
        }
    }

    /** {@code drover trust show}. */
    @Command(name = "show", description = "Shows the last root, and whether nodes believe it.")
    static final class Show extends RootFileCommand {
        @Override
        String execute(TrustRootFile roots, Instant now) {
            return roots.describe(now);
        }
    }
}
