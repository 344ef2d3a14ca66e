package drover.cli.command;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.Style;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Optional;
import javax.net.ssl.SSLException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Says what went wrong: one sentence, the reason code, the command that helps. No stack trace. */
public final class FailureReporter {
    private FailureReporter() {}

    /**
     * Tells the person and answers with the exit code.
     *
     * @param parsed the command that failed
     */
    public static int report(Throwable failure, DroverRootCommand drover, ParseResult parsed) {
        return report(failure, drover, parsed, FailedCommandReader.firstPositional(parsed));
    }

    /**
     * The same for a command that has no id among its arguments.
     *
     * @param id what the failed request was about; may be empty
     */
    public static int report(
            Throwable failure, DroverRootCommand drover, ParseResult parsed, String id) {
        Console console = drover.console();
        return switch (failure) {
            case CommandFailed failed -> {
                console.printError(failed.sentence());
                yield failed.exitCode();
            }
            case StatusRuntimeException status ->
                    findErrorInfo(status)
                            .map(info -> reportRefusal(status, info, drover, parsed, id))
                            .orElseGet(() -> reportUnreachable(status, console, drover.server()));
            default -> {
                console.printError(
                        "This is a mistake in Drover itself, please report it: " + failure);
                yield CommandFailed.FAILED;
            }
        };
    }

    /** True when nobody answered at all, so that asking again may help. */
    public static boolean isUnreachable(StatusRuntimeException failure) {
        return findErrorInfo(failure).isEmpty()
                && switch (failure.getStatus().getCode()) {
                    case UNAVAILABLE, DEADLINE_EXCEEDED -> true;
                    default -> false;
                };
    }

    private static int reportRefusal(
            StatusRuntimeException status,
            ErrorInfo info,
            DroverRootCommand drover,
            ParseResult parsed,
            String id) {
        Console console = drover.console();
        String reason = info.getReason();
        Status whole = StatusProto.fromThrowable(status);
        String sentence = whole == null ? reason : Style.sanitize(whole.getMessage());
        console.printError(sentence + " [" + Style.sanitize(reason) + "]");
        CommandSpec command = FailedCommandReader.spec(parsed);
        OptionSpec option = command.findOption(FailedCommandReader.optionName(info));
        String hint = NextCommandAfterFailure.find(FailedCommandReader.group(parsed), reason, id);
        if (reason.equals("MISSING_FIELD") && option != null) {
            console.printError(
                    "Next: "
                            + command.qualifiedName()
                            + " ... "
                            + option.longestName()
                            + " "
                            + option.paramLabel());
        } else if (reason.equals("CREDENTIAL_MISSING")) {
            console.printError("Next: " + hint);
        } else if (!hint.isEmpty()) {
            console.printError("Next: " + drover.withConnectionOptions(hint));
        }
        return CommandFailed.FAILED;
    }

    private static int reportUnreachable(
            StatusRuntimeException status, Console console, String server) {
        return switch (status.getStatus().getCode()) {
            case UNAVAILABLE -> {
                if (isTlsFailure(status)) {
                    console.printError(
                            "What answers at "
                                    + server
                                    + " does not prove that it is this host; see whether --ca names"
                                    + " its authority, and --server the host in its certificate; or"
                                    + " leave --ca and https:// away if it speaks no TLS.");
                    yield CommandFailed.NOT_REACHABLE;
                }
                console.printError(
                        "No Drover answers at "
                                + server
                                + ". Start one with './drover up' or name another with --server.");
                yield CommandFailed.NOT_REACHABLE;
            }
            case DEADLINE_EXCEEDED -> {
                console.printError(
                        "Drover at "
                                + server
                                + " did not answer in time; look at the present state before"
                                + " trying again.");
                yield CommandFailed.NOT_REACHABLE;
            }
            default -> {
                console.printError(
                        "What answers at %s is no Drover this program understands (%s)."
                                .formatted(server, status.getStatus().getCode()));
                yield CommandFailed.FAILED;
            }
        };
    }

    /** Whether the handshake failed, on its certificate or since the other end speaks no TLS. */
    private static boolean isTlsFailure(StatusRuntimeException status) {
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    private static Optional<ErrorInfo> findErrorInfo(StatusRuntimeException failure) {
        Status status = StatusProto.fromThrowable(failure);
        if (status == null) {
            return Optional.empty();
        }
        return status.getDetailsList().stream()
                .filter(detail -> detail.is(ErrorInfo.class))
                .map(FailureReporter::unpack)
                .filter(info -> info.getDomain().equals("drover"))
                .findFirst();
    }

    private static ErrorInfo unpack(Any detail) {
        try {
            return detail.unpack(ErrorInfo.class);
        } catch (InvalidProtocolBufferException e) {
            return ErrorInfo.getDefaultInstance(); // a broken detail says nothing
        }
    }
}
