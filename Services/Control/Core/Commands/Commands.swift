/// Every command of fgctl, in the order the help lists them.
enum Commands {
    static let all: [CommandSpec] = [
        MigrateCommand.spec,
        TopicsCommand.spec,
        AppCommands.create, AppCommands.list, TimezoneCommand.spec, AppChangeCommands.merge,
        AppChangeCommands.delete,
        KeyCommands.issue, KeyCommands.revoke, KeyCommands.list,
        APIKeyCommands.create, APIKeyCommands.list, APIKeyCommands.revoke,
        CloseDaysCommand.spec,
        ErasureCommands.create, ErasureCommands.list, ErasureCommands.show, ErasureCommands.retry,
        ErasureVerifyCommand.spec,
        ImportCommand.spec,
        LagCommand.spec,
        ReplayCommand.spec,
        SetAsideCommands.list, SetAsideCommands.show, SetAsideCommands.redrive, SetAsideCommands.drop,
        RetentionCommand.spec,
    ]
}
