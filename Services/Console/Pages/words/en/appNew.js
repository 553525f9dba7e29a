export const appNew = {
  title: 'New app', lead: 'One app takes the events of all its platforms, so that people who use several are counted once.', name: 'Name', nameHint: 'As your team calls it. It can be changed later.', nameMissing: 'Give the app a name.',
  platforms: 'Platforms', platformsHint: 'Each gets a key of its own. More can be added later.', platformsMissing: 'Choose at least one platform.', zone: 'Time zone', zoneHint: 'Days of reports begin at midnight of this zone. Type to search.',
  zoneUnknown: 'Choose a zone from the list.', submit: 'Create app', created: 'Created', doneTitle: '{name} is ready for events', doneText: 'Put the key of each platform into its build. Keys can only write, so they may stand in apps and pages.',
  anyPlatform: 'Any platform', copyKey: 'Copy the key for {platform}', toIntegration: 'Integrate and watch events arrive',
};
